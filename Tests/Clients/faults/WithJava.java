// Sends two pushes, one after the other, and prints what came of each: the status, or the error of the JDK's HttpClient.

import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

public class WithJava {
    public static void main(String[] words) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (FileInputStream authority = new FileInputStream(System.getenv("BELL_CA"))) {
            store.setCertificateEntry("bell", CertificateFactory.getInstance("X.509").generateCertificate(authority));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(context).build();
        HttpRequest request = HttpRequest.newBuilder()
            .uri(URI.create(System.getenv("BELL_URL") + "/3/device/" + System.getenv("BELL_TOKEN")))
            .timeout(Duration.ofSeconds(Long.parseLong(System.getenv("SECONDS"))))
            .header("authorization", "bearer " + System.getenv("BEARER")).header("apns-topic", "com.example.mail")
            .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"Hello\"}}")).build();
        for (int count = 0; count < 2; count++) {
            try {
                System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
            } catch (Exception error) {
                System.out.println(error.getClass().getSimpleName() + ": " + error.getMessage());
            }
        }
        System.exit(0);
    }
}
