// The JDK's HttpClient, as README.md says.

import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

class Push {
  public static void main(String[] arguments) throws Exception {
    var environment = System.getenv();
    var authorities = KeyStore.getInstance(KeyStore.getDefaultType());
    authorities.load(null, null);
    try (var file = new FileInputStream(environment.get("CA"))) {
      authorities.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(authorities);
    var tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    var client = HttpClient.newBuilder().sslContext(tls).version(HttpClient.Version.HTTP_2).build();

    int count = Integer.parseInt(environment.get("COUNT"));
    var next = new AtomicInteger();
    var workers = Executors.newFixedThreadPool(10);
    for (int worker = 0; worker < 10; worker++) {
      workers.submit(() -> {
        for (int number; (number = next.getAndIncrement()) < count;) {
          for (int attempt = 0; attempt < 400; attempt++) {
            var request = HttpRequest.newBuilder(URI.create(environment.get("URL")))
                .timeout(Duration.ofSeconds(20))
                .header("authorization", "bearer " + environment.get("BEARER"))
                .header("apns-topic", environment.get("TOPIC"))
                .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"" + number + "\"}}"))
                .build();
            try {
              var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
              System.out.println(number + " " + answer.statusCode());
              break;
            } catch (Exception problem) {
              System.out.println(number + " failed: " + problem);
              Thread.sleep(50);
            }
          }
        }
        return null;
      });
    }
    workers.shutdown();
    workers.awaitTermination(5, java.util.concurrent.TimeUnit.MINUTES);
    System.exit(0);
  }
}
