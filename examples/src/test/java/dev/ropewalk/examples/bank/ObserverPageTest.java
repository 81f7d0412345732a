package dev.ropewalk.examples.bank;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.observer.Observer;
import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.channels.pipeline.Pipeline;
import dev.ropewalk.channels.pipeline.PipelineMetrics;
import dev.ropewalk.channels.pipeline.PipelineRun;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.sync.Mutex;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page of the observer in a real browser, without a window: {@code mvn verify -Pbrowser}. Needs
 * Chromium and its driver, and is skipped where there are none.
 */
@Tag("browser")
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverPageTest {
    private static final Path BROWSER = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Pattern REQUESTED =
            Pattern.compile(
                    "\"Network\\.requestWillBeSent\".*?\"request\":\\{.*?\"url\":\"([^\"]*)\"");

    private final List<AutoCloseable> open = new ArrayList<>();
    private ChromeDriver browser;
    private Observer observer;

    @BeforeEach
    void begin() {
        assumeTrue(
                Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER),
                () -> "there is no " + BROWSER + " or no " + DRIVER);
        observer = Observer.start(ObserverOptions.loopback());
        open.add(observer);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSER.toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu");
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
        browser =
                new ChromeDriver(
                        new ChromeDriverService.Builder()
                                .usingDriverExecutable(DRIVER.toFile())
                                .build(),
                        options);
        open.add(browser::quit);
        browser.manage().window().setSize(new Dimension(1300, 1000));
    }

    @AfterEach
    void endAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private void look(String system) {
        browser.get(observer.address());
        await().atMost(LONG).until(() -> text("connection").equals("live"));
        await().atMost(LONG)
                .until(() -> !browser.findElements(By.cssSelector("#system option")).isEmpty());
        await().atMost(LONG).until(() -> text("system").contains(system));
        browser.executeScript(
                "const s = document.getElementById('system');"
                        + "s.value = [...s.options].find(each => each.text === arguments[0]).value;"
                        + "s.dispatchEvent(new Event('change'));",
                system);
    }

    private String text(String id) {
        return browser.findElement(By.id(id)).getText();
    }

    /** The columns of the row whose path ends so; empty if it is not there. */
    private List<String> row(String end) {
        Object cells =
                browser.executeScript(
                        "const row = [...document.querySelectorAll('#rows .row')].find(each =>"
                                + " each.firstChild.title.endsWith(arguments[0]));return row ?"
                                + " [...row.children].map(each => each.textContent) : [];",
                        end);
        return ((List<?>) cells).stream().map(String::valueOf).toList();
    }

    private double number(String end, int column) {
        List<String> row = row(end);
        String text = row.isEmpty() ? "" : row.get(column).replace(",", "");
        return text.isEmpty() ? -1 : Double.parseDouble(text);
    }

    /** Of the chart of the first cord. */
    private int samples() {
        Object points =
                browser.executeScript(
                        "const line = document.querySelector('#cords polyline');"
                                + "return line ? line.getAttribute('points') : '';");
        return String.valueOf(points).split(" ", -1).length;
    }

    private void assertQuiet() {
        List<String> told =
                browser.manage().logs().get("browser").getAll().stream()
                        .map(LogEntry::getMessage)
                        .toList();
        assertEquals(List.of(), told, "the console of the browser");
        Set<String> hosts = new HashSet<>();
        Set<String> paths = new HashSet<>();
        for (LogEntry each : browser.manage().logs().get("performance")) {
            Matcher requested = REQUESTED.matcher(each.getMessage());
            if (requested.find() && requested.group(1).startsWith("http")) {
                URI asked = URI.create(requested.group(1));
                hosts.add(asked.getAuthority());
                paths.add(asked.getPath());
            }
        }
        assertEquals(Set.of("127.0.0.1:" + observer.port()), hosts);
        assertTrue(
                paths.containsAll(List.of("/", "/observer.js", "/api/v1/stream")),
                () -> "requests of the page and of its script are seen: " + paths);
    }

    /** Also makes the picture of the documents, where a property names its file. */
    @Test
    void A6_aBankUnderChaosIsSeenToRestart() throws IOException {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Thread bank =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        Main.run(
                                                List.of(
                                                        "--transfers=1000000",
                                                        "--chaos=0.3",
                                                        "--seed=1"),
                                                new Output(new ByteArrayOutputStream(), UTF_8),
                                                new PrintStream(err, true, UTF_8)));
        open.add(
                () -> {
                    ActorSystem.all().stream()
                            .filter(each -> each.name().equals("town"))
                            .forEach(each -> each.stop(Duration.ofSeconds(5)));
                    bank.join();
                });
        await().atMost(LONG)
                .until(() -> ActorSystem.all().stream().anyMatch(e -> e.name().equals("town")));
        look("town");
        browser.executeScript(
                "const s = document.getElementById('sort'); s.value = 'restarts';"
                        + "s.dispatchEvent(new Event('change'));");
        await().atMost(LONG).until(() -> number("", 5) > 0);
        double before = number("", 5);
        await().atMost(LONG).until(() -> number("", 5) > before);
        browser.findElement(By.cssSelector("#numbers summary")).click();
        await().atMost(LONG).until(() -> restartsASecond() > 0);
        browser.findElement(By.cssSelector("#numbers summary")).click();
        String picture = System.getProperty("ropewalk.picture", "");
        if (!picture.isEmpty()) {
            await().atMost(LONG).until(() -> samples() >= 10); // a chart has something to show
            File shot = browser.getScreenshotAs(OutputType.FILE);
            Files.write(Path.of(picture), Files.readAllBytes(shot.toPath()));
        }
        assertQuiet();
    }

    /** The most of all classes, as the numbers tell it; -1 if they do not. */
    private double restartsASecond() {
        Object rates =
                browser.executeScript(
                        "const rows = [...document.querySelectorAll('#numbers tbody tr')];"
                                + "let name = '';"
                                + "return rows.filter(each => (name = each.cells[0].textContent"
                                + " || name) === 'ropewalk.actor.restarts')"
                                + ".map(each => each.cells[3].textContent);");
        return ((List<?>) rates)
                .stream()
                        .map(each -> String.valueOf(each).replace(",", ""))
                        .filter(each -> !each.isEmpty())
                        .mapToDouble(Double::parseDouble)
                        .max()
                        .orElse(-1);
    }

    @Test
    void A6_aDeadlockIsNamedWithinTwoSeconds() {
        Cord cord = Cord.start("market");
        open.add(cord);
        ActorSystem system = ActorSystem.start("stalls");
        open.add(system);
        look("stalls");
        cord.spin(
                "planted",
                () -> {
                    Mutex nuts = Mutex.local();
                    Mutex bolts = Mutex.local();
                    Fiber.spin("seller", () -> both(nuts, bolts));
                    Fiber.spin("buyer", () -> both(bolts, nuts));
                    Fiber.sleep(Duration.ofMinutes(5));
                });
        await().atMost(Duration.ofSeconds(2))
                .pollInterval(Duration.ofMillis(50))
                .until(
                        () -> {
                            String cycles = text("cycles");
                            return cycles.contains("seller waits for buyer")
                                    && cycles.contains("cord market");
                        });
        assertQuiet();
    }

    /** With a limit, because one without would be refused. */
    private static void both(Mutex first, Mutex second) {
        first.run(
                () -> {
                    Fiber.sleep(Duration.ofMillis(10));
                    if (second.lock(Duration.ofMinutes(5))) {
                        second.unlock();
                    }
                });
    }

    @Test
    void A6_aStuckCordIsToldAndNamesAreNoMarkup() {
        Cord frozen = Cord.start("frozen");
        open.add(frozen);
        CountDownLatch go = new CountDownLatch(1);
        open.add(go::countDown);
        ActorSystem system = ActorSystem.start("stalls");
        open.add(system);
        system.start(
                "<img src=x onerror=document.title='owned'>",
                Actor.handler(() -> _ -> Behavior.same()));
        for (int i = 0; i < 100; i++) {
            system.start("a" + i, Actor.handler(() -> _ -> Behavior.same()));
        }
        look("stalls");
        frozen.spin("sleeper", () -> go.await());
        await().atMost(LONG).until(() -> text("cords").contains("STUCK in sleeper"));
        assertTrue(text("cords").contains("CountDownLatch.await"), () -> text("cords"));
        go.countDown();
        await().atMost(LONG).until(() -> !text("cords").contains("STUCK"));
        WebElement grid = browser.findElement(By.id("actors"));
        grid.sendKeys(Keys.HOME);
        grid.sendKeys(Keys.PAGE_DOWN);
        await().atMost(LONG).until(() -> !selected().equals("stalls") && !selected().isEmpty());
        grid.sendKeys(Keys.PAGE_UP);
        await().atMost(LONG).until(() -> selected().equals("stalls"));
        grid.sendKeys("/");
        assertEquals("filter", focused());
        browser.switchTo().activeElement().sendKeys("onerror");
        await().atMost(LONG).until(() -> row("/a0").isEmpty() && !row("'owned'>").isEmpty());
        assertTrue(browser.findElements(By.tagName("img")).isEmpty(), "a name is markup");
        assertEquals("Ropewalk observer", browser.getTitle());
        assertQuiet();
    }

    @Test
    void A6_theMailboxOfASlowedActorGrowsAndItsRateFalls() {
        AtomicBoolean isSlow = new AtomicBoolean();
        ActorSystem system = ActorSystem.start("stalls");
        open.add(system);
        ActorRef<Long> till =
                system.start(
                        "till",
                        Actor.handler(
                                () ->
                                        _ -> {
                                            if (isSlow.get()) {
                                                Fiber.sleep(Duration.ofMillis(500));
                                            }
                                            return Behavior.same();
                                        }));
        AtomicLong sent = new AtomicLong();
        Cord cord = Cord.start("customers");
        open.add(cord);
        cord.spin(
                "customers",
                () -> {
                    while (true) {
                        till.tell(sent.incrementAndGet());
                        Fiber.sleep(Duration.ofMillis(10));
                    }
                });
        look("stalls");
        await().atMost(LONG).until(() -> number("/till", 4) > 20);
        isSlow.set(true);
        await().atMost(LONG).until(() -> number("/till", 4) >= 0 && number("/till", 4) < 5);
        double queued = number("/till", 2);
        await().atMost(LONG).until(() -> number("/till", 2) > queued + 20);
        assertQuiet();
    }

    @Test
    void A6_theKeyboardAloneReachesEachRow() {
        ActorSystem system = ActorSystem.start("crowd");
        open.add(system);
        int all = 300;
        for (int i = 0; i < all; i++) {
            system.start(
                    String.format(Locale.ROOT, "a%03d", i),
                    Actor.handler(() -> _ -> Behavior.same()));
        }
        look("crowd");
        await().atMost(LONG).until(() -> !row("/a000").isEmpty());
        WebElement body = browser.findElement(By.tagName("body"));
        for (int i = 0; i < 20 && !"actors".equals(focused()); i++) {
            body.sendKeys(Keys.TAB);
            body = browser.switchTo().activeElement();
        }
        assertEquals("actors", focused(), "the tab key leads there");
        WebElement grid = browser.findElement(By.id("actors"));
        Set<String> seen = new HashSet<>();
        grid.sendKeys(Keys.HOME);
        for (int place = 0; place <= all; place++) {
            String wanted =
                    place == 0 ? "crowd" : String.format(Locale.ROOT, "crowd/a%03d", place - 1);
            await().atMost(LONG)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> selected().equals(wanted));
            seen.add(selected());
            grid.sendKeys(Keys.ARROW_DOWN);
        }
        assertEquals(all + 1, seen.size()); // and the supervisor
        grid.sendKeys(Keys.HOME);
        await().atMost(LONG).until(() -> selected().equals("crowd"));
        grid.sendKeys(Keys.END);
        await().atMost(LONG).until(() -> selected().equals("crowd/a299"));
        grid.sendKeys(Keys.ENTER);
        await().atMost(LONG).until(() -> text("detail-heading").equals("crowd/a299"));
        browser.switchTo().activeElement().sendKeys(Keys.ESCAPE);
        assertFalse(browser.findElement(By.id("detail")).isDisplayed());
        assertEquals("actors", focused());
        assertTrue(
                String.valueOf(grid.getDomAttribute("aria-activedescendant")).startsWith("row-"),
                "those that hear the page know the row");
        assertQuiet();
    }

    @Test
    void F9_aCordOpensToItsFibersAndTimersAndASourceIsATable() {
        Cord cord = Cord.start("kitchen");
        open.add(cord);
        cord.spin(
                "cook",
                () -> {
                    Fiber.spin("<b>pot</b>", () -> Fiber.sleep(Duration.ofHours(2)));
                    Fiber.sleep(Duration.ofHours(1));
                });
        ActorSystem system = ActorSystem.start("stalls");
        open.add(system);
        system.start("till", Actor.handler(() -> _ -> Behavior.same()));
        observer.close();
        observer =
                Observer.start(
                        ObserverOptions.loopback()
                                .withSource(
                                        "node",
                                        () ->
                                                "{\"peers\":[{\"name\":\"<i>n1</i>\",\"sinceNanos\":2500000},"
                                                    + "{\"name\":\"n2\",\"unseen\":[1,2]}]}"));
        open.add(observer);
        look("stalls");
        await().atMost(LONG).until(() -> text("sources").contains("2.5 ms"));
        assertTrue(text("sources").contains("<i>n1</i>"), () -> text("sources"));
        assertEquals(
                List.of("name", "since", "unseen"),
                browser.findElements(By.cssSelector("#sources table th")).stream()
                        .map(WebElement::getText)
                        .toList());
        browser.findElement(By.id("actors")).sendKeys(Keys.HOME, Keys.ARROW_DOWN);
        await().atMost(LONG).until(() -> selected().equals("stalls/till"));
        browser.findElement(By.id("actors")).sendKeys(Keys.ENTER); // its stack is not the cord's
        await().atMost(LONG).until(() -> !text("stack").isEmpty());
        browser.switchTo().activeElement().sendKeys(Keys.ESCAPE);
        WebElement at = browser.findElement(By.tagName("body"));
        for (int i = 0; i < 20 && !at.getText().equals("kitchen"); i++) {
            at.sendKeys(Keys.TAB);
            at = browser.switchTo().activeElement();
        }
        int seen = samples();
        await().atMost(LONG).until(() -> samples() > seen); // it is drawn again
        assertEquals("kitchen", browser.switchTo().activeElement().getText());
        browser.switchTo().activeElement().sendKeys(Keys.ENTER);
        await().atMost(LONG).until(() -> text("detail-heading").equals("cord kitchen"));
        assertTrue(text("detail").contains("wait of cook #"), () -> text("detail"));
        assertTrue(text("fibers").contains("<b>pot</b> #"), () -> text("fibers"));
        assertTrue(text("fibers").contains("library: sleep"), () -> text("fibers"));
        assertFalse(text("fibers").contains("Fiber.sleep"), "a stack is shown when it is opened");
        browser.executeScript(
                "[...document.querySelectorAll('#fibers summary')].find(each =>"
                        + " each.textContent.startsWith('cook')).focus();");
        browser.switchTo().activeElement().sendKeys(Keys.ENTER);
        await().atMost(LONG).until(() -> text("fibers").contains("Fiber.sleep"));
        assertEquals("", text("stack"), "it is that of a cord that does not answer");
        assertEquals(
                List.of(),
                browser.findElements(By.cssSelector("#fibers details pre")).stream()
                        .filter(
                                each ->
                                        String.valueOf(each.getDomProperty("textContent"))
                                                .isEmpty())
                        .toList(),
                "each fiber that opens has a stack");
        assertTrue(
                browser.findElement(By.id("detail-heading")).getRect().getY() >= 0,
                "the pane begins at its head");
        browser.switchTo().activeElement().sendKeys(Keys.ESCAPE);
        assertFalse(browser.findElement(By.id("detail")).isDisplayed());
        assertEquals("kitchen", browser.switchTo().activeElement().getText());
        assertQuiet();
    }

    @Test
    void C5_theSlowStageOfAPipelineIsMarked() {
        Cord cord = Cord.start("mill");
        open.add(cord);
        CompletableFuture<PipelineRun<?>> begun = new CompletableFuture<>();
        Fiber<?> milling =
                cord.spin(
                        "mill",
                        () -> {
                            PipelineRun<?> run =
                                    Pipeline.ticks(Duration.ofMillis(1))
                                            .map("quick", each -> each + 1)
                                            .peek("slow", _ -> Fiber.sleep(Duration.ofMillis(20)))
                                            .forEach("end", _ -> {});
                            begun.complete(run);
                            run.run();
                        });
        open.add(milling::terminate);
        ActorSystem system = ActorSystem.start("stalls");
        open.add(system);
        observer.close();
        observer =
                Observer.start(
                        ObserverOptions.loopback()
                                .withMetrics(PipelineMetrics.of("mill", begun.join())));
        open.add(observer);
        look("stalls");
        browser.findElement(By.cssSelector("#numbers summary")).click();
        await().atMost(LONG)
                .until(
                        () -> {
                            List<String> marked = bottlenecks();
                            return marked.size() == 1 && marked.getFirst().contains("slow");
                        });
        assertQuiet();
    }

    /** At once, because the rows are made anew each second. */
    private List<String> bottlenecks() {
        Object rows =
                browser.executeScript(
                        "return [...document.querySelectorAll('#numbers tbody tr')]"
                                + ".map(each => each.textContent)"
                                + ".filter(each => each.includes('(bottleneck)'));");
        return ((List<?>) rows).stream().map(String::valueOf).toList();
    }

    @Test
    void A6_onlyWithControlActorsAreHeldByTheKeyboard() {
        ActorSystem system = ActorSystem.start("stalls");
        open.add(system);
        system.start("till", Actor.handler(() -> _ -> Behavior.same()));
        look("stalls");
        openTill();
        assertEquals(List.of(), browser.findElements(By.cssSelector("#control button")));
        assertQuiet();
        browser.get("about:blank"); // a page whose observer ends tells the console
        observer.close();
        observer = Observer.start(ObserverOptions.loopback().withControl());
        open.add(observer);
        look("stalls");
        openTill();
        await().atMost(LONG)
                .until(() -> !browser.findElements(By.cssSelector("#control button")).isEmpty());
        browser.executeScript(
                "[...document.querySelectorAll('#control button')].find(each =>"
                        + " each.textContent.startsWith('suspend')).focus();");
        browser.switchTo().activeElement().sendKeys(Keys.ENTER);
        await().atMost(LONG).until(() -> row("/till").get(1).equals("SUSPENDED"));
        assertQuiet();
    }

    private void openTill() {
        await().atMost(LONG).until(() -> !row("/till").isEmpty());
        browser.findElement(By.id("actors")).sendKeys(Keys.END);
        await().atMost(LONG).until(() -> selected().equals("stalls/till"));
        browser.findElement(By.id("actors")).sendKeys(Keys.ENTER);
        await().atMost(LONG).until(() -> text("detail-heading").equals("stalls/till"));
    }

    @Test
    void A6_ofAHundredThousandActorsTheLastIsAKeyAway() {
        ActorSystem system = ActorSystem.start("crowd");
        open.add(system);
        Actor<Object> quiet = Actor.handler(() -> _ -> Behavior.same());
        for (int i = 0; i < 100_000; i++) {
            system.start(String.format(Locale.ROOT, "a%05d", i), quiet);
        }
        look("crowd");
        await().atMost(LONG).until(() -> text("totals").contains("100,001 rows"));
        browser.findElement(By.id("actors")).sendKeys(Keys.END);
        await().atMost(LONG).until(() -> selected().equals("crowd/a99999"));
        Object drawn = browser.executeScript("return document.querySelectorAll('.row').length;");
        assertTrue(((Number) Objects.requireNonNull(drawn)).intValue() <= 500, "rows=" + drawn);
        browser.findElement(By.id("actors")).sendKeys(Keys.HOME);
        await().atMost(LONG).until(() -> selected().equals("crowd"));
        assertQuiet();
    }

    private String focused() {
        return String.valueOf(browser.switchTo().activeElement().getDomAttribute("id"));
    }

    /** The path of the row that is selected; empty if none is. */
    private String selected() {
        return String.valueOf(
                browser.executeScript(
                        "const row = document.querySelector('#rows [aria-selected=true]');"
                                + "return row ? row.firstChild.title : '';"));
    }
}
