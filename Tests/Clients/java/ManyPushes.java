// Sends pushes with the JDK's own HttpClient, all at once, and prints what came of them: one line per status or
// exception, and how many. Until its first connection is up, this client opens one for each request.
//
// Usage: java ManyPushes.java URL CA.pem BEARER TOPIC COUNT

import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

class ManyPushes {
  public static void main(String[] arguments) throws Exception {
    var authorities = KeyStore.getInstance(KeyStore.getDefaultType());
    authorities.load(null, null);
    try (var file = new FileInputStream(arguments[1])) {
      authorities.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(authorities);
    var tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    var client = HttpClient.newBuilder().sslContext(tls).version(HttpClient.Version.HTTP_2).build();

    var request = HttpRequest.newBuilder(URI.create(arguments[0]))
        .header("authorization", "bearer " + arguments[2])
        .header("apns-topic", arguments[3])
        .header("apns-push-type", "alert")
        .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"Many at once\"}}"))
        .build();
    var pushes = new CompletableFuture<?>[Integer.parseInt(arguments[4])];
    var counts = new ConcurrentHashMap<String, Integer>();
    for (int number = 0; number < pushes.length; number++) {
      pushes[number] = client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).handle((answer, problem) -> {
        var cause = problem != null && problem.getCause() != null ? problem.getCause() : problem;
        counts.merge(cause == null ? answer.statusCode() + answer.body() : cause.toString(), 1, Integer::sum);
        return null;
      });
    }
    CompletableFuture.allOf(pushes).join();
    new TreeMap<>(counts).forEach((what, count) -> System.out.println(count + " " + what));
    System.exit(0);
  }
}
