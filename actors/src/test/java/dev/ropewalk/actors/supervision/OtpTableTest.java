package dev.ropewalk.actors.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The page about OTP's supervisor has each case of its suite once, with a test that is there. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class OtpTableTest {
    private static final Path PAGE = Path.of("../docs/otp-supervisor.md");
    private static final String APPLIES_NOT = "does not apply";
    private static final String PASSES = "passes";
    private static final String DIFFERS = "differs";

    /** Of OTP, in the order in which its suite runs them. */
    private static final List<String> CASES =
            """
            sup_start_normal
            sup_start_ignore_init
            sup_start_ignore_child
            sup_start_ignore_temporary_child
            sup_start_ignore_temporary_child_start_child
            sup_start_ignore_temporary_child_start_child_simple
            sup_start_ignore_permanent_child_start_child_simple
            sup_start_error_return
            sup_start_fail
            sup_start_child_returns_error
            sup_start_restart_child_returns_error
            sup_start_child_returns_error_simple
            sup_start_map
            sup_start_map_simple
            sup_start_map_faulty_specs
            sup_stop_infinity
            sup_stop_timeout
            sup_stop_timeout_dynamic
            sup_stop_brutal_kill
            sup_stop_brutal_kill_dynamic
            sup_stop_race
            sup_stop_non_shutdown_exit_dynamic
            child_adm
            child_adm_simple
            extra_return
            child_specs
            child_specs_map
            sup_flags
            multiple_restarts
            one_for_one
            one_for_one_escalation
            one_for_all
            one_for_all_escalation
            one_for_all_other_child_fails_restart
            simple_one_for_one
            simple_one_for_one_shutdown
            simple_one_for_one_extra
            simple_one_for_one_escalation
            simple_one_for_one_corruption
            simple_one_for_one_restart_ignore
            rest_for_one
            rest_for_one_escalation
            rest_for_one_other_child_fails_restart
            external_start_no_progress_log
            permanent_normal
            transient_normal
            temporary_normal
            permanent_shutdown
            transient_shutdown
            temporary_shutdown
            faulty_application_shutdown
            permanent_abnormal
            transient_abnormal
            temporary_abnormal
            child_unlink
            tree
            nonsignificant_temporary
            nonsignificant_transient
            significant_temporary
            significant_transient
            significant_simple
            significant_bystander
            significant_escalation
            significant_upgrade_never_any
            significant_upgrade_any_never
            significant_upgrade_never_all
            significant_upgrade_all_never
            significant_upgrade_any_all
            significant_upgrade_all_any
            significant_upgrade_child
            count_children
            count_children_supervisor
            count_restarting_children
            get_callback_module
            do_not_save_start_parameters_for_temporary_children
            do_not_save_child_specs_for_temporary_children
            simple_one_for_one_scale_many_temporary_children
            temporary_bystander
            simple_global_supervisor
            hanging_restart_loop
            hanging_restart_loop_rest_for_one
            hanging_restart_loop_simple
            code_change
            code_change_map
            code_change_simple
            code_change_simple_map
            order_of_children
            scale_start_stop_many_children
            format_log_1
            format_log_2
            already_started_outside_supervisor
            which_children
            which_children_simple_one_for_one
            """
                    .lines()
                    .toList();

    private static final List<Class<?>> TESTS =
            List.of(
                    OtpStartTest.class,
                    OtpStopTest.class,
                    OtpRestartTest.class,
                    OtpSignificantTest.class,
                    OtpAdminTest.class);

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `(\\w+)` \\|([^|]*)\\|([^|]*)\\|([^|]*)\\|$");
    private static final Pattern COUNT = Pattern.compile("(?m)^\\| ([a-z ]+) \\| (\\d+) \\|");
    private static final Pattern NAMED = Pattern.compile("`(\\w+Test)#(\\w+)`");

    /** A line of the table. */
    private record Row(String name, String result, String test, String note) {
        String method() {
            StringBuilder method = new StringBuilder("A5_otp_");
            for (String part : name.split("_", -1)) {
                boolean isFirst = method.charAt(method.length() - 1) == '_';
                char first = part.charAt(0);
                method.append(isFirst ? first : Character.toUpperCase(first))
                        .append(part.substring(1));
            }
            return method.toString();
        }
    }

    private static String page() throws IOException {
        return Files.readString(PAGE);
    }

    private static List<Row> rows() throws IOException {
        List<Row> rows = new ArrayList<>();
        for (Matcher row = ROW.matcher(page()); row.find(); ) {
            rows.add(
                    new Row(
                            row.group(1),
                            row.group(2).strip(),
                            row.group(3).strip(),
                            row.group(4).strip()));
        }
        return rows;
    }

    @Test
    void A5_eachCaseOfTheSuiteStandsOnThePageOnce() throws IOException {
        assertEquals(93, CASES.size());
        assertEquals(CASES, rows().stream().map(Row::name).toList());
    }

    @Test
    void A5_aCaseHasItsOwnTestOrSaysWhyNot() throws IOException {
        for (Row row : rows()) {
            boolean applies = !row.result.equals(APPLIES_NOT);
            if (applies) {
                assertTrue(row.test.endsWith("#" + row.method() + "`"), row.toString());
                assertTrue(NAMED.matcher(row.test).matches(), row.toString());
            } else {
                assertEquals("", row.test, row.toString());
            }
            assertTrue(row.result.equals(PASSES) || !row.note.isEmpty(), row.toString());
        }
    }

    @Test
    void A5_theOpeningCountsTheCases() throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        rows().forEach(row -> counts.merge(row.result, 1, Integer::sum));
        Map<String, Integer> told = new TreeMap<>();
        for (Matcher count = COUNT.matcher(page()); count.find(); ) {
            told.put(count.group(1), Integer.valueOf(count.group(2)));
        }
        assertEquals(counts, told);
        assertEquals(new TreeSet<>(List.of(PASSES, DIFFERS, APPLIES_NOT)), counts.keySet());
    }

    @Test
    void A5_testsThatThePageNamesAreThere() throws Exception {
        int named = 0;
        for (Matcher name = NAMED.matcher(page()); name.find(); named++) {
            Class<?> type = Class.forName("dev.ropewalk.actors.supervision." + name.group(1));
            Method method = type.getDeclaredMethod(name.group(2));
            assertTrue(method.isAnnotationPresent(Test.class), name.group());
        }
        assertTrue(named >= rows().size() / 2, "named=" + named);
    }

    @Test
    void A5_theTestOfACaseIsOnThePage() throws IOException {
        List<String> tests = TESTS.stream().flatMap(OtpTableTest::namesOfCases).sorted().toList();
        assertFalse(tests.isEmpty());
        assertEquals(
                tests,
                rows().stream().map(Row::test).filter(test -> !test.isEmpty()).sorted().toList());
    }

    private static Stream<String> namesOfCases(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> name.startsWith("A5_otp_"))
                .map(name -> "`" + type.getSimpleName() + "#" + name + "`");
    }
}
