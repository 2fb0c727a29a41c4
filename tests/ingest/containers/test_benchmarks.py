"""Benchmarks, by small files: runs, what their cases expect, and how they were judged."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from metrics import by_container

Read = Callable[..., Any]
CALL = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": 7}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "cancel order 7"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "name": "cancel", "content": "Error: shipped"},
]
TRIAL = {
    "task_id": 3, "trial": 1, "reward": 0.0, "traj": MESSAGES,
    "info": {"task": {"user_id": "lin", "actions": [
        {"name": "cancel", "kwargs": {"id": 7}}, {"name": "refund", "kwargs": {}},
    ]}},
}  # fmt: skip


def test_a_trial_of_tau_bench_is_scored_by_the_calls_it_should_have_made(read_file: Read) -> None:
    read = read_file([TRIAL])
    report = asdict(by_container(read.database)["tau-bench"])
    expected = {"n_expected": 2, "n_found": 1, "n_found_with_arguments": 1, "n_errors": 1}
    assert {name: report[name] for name in expected} == expected
    assert read.rows("select case_id, trial from case_run") == [
        {"case_id": "tau-bench/3", "trial": 1}
    ]
    assert read.rows("select name, value, annotator_kind from score") == [
        {"name": "reward", "value": 0.0, "annotator_kind": "RULE"}
    ]


def test_a_trial_without_times_is_finished_and_has_no_duration(read_file: Read) -> None:
    [trace] = read_file([TRIAL]).rows(
        "select status, is_finished, start_time_ns, duration_ns, n_steps from trace"
    )
    assert tuple(trace.values()) == ("ok", True, None, None, 1)


def test_numbered_messages_are_agentrx_and_labels_find_their_run(read_file: Read) -> None:
    numbered = [{**message, "index": index} for index, message in enumerate(MESSAGES, 1)]
    failure = {
        "failure_id": 1, "step_number": 2, "failure_category": "Invalid Invocation",
        "failed_agent": "Assistant", "step_reason": "too late",
    }  # fmt: skip
    label = {"trajectory_id": 3, "failures": [failure], "root_cause": {"failure_id": 1}}
    assert read_file([TRIAL | {"traj": numbered}]).line.container == "agentrx-tau"
    read = read_file([label], name="labels.json")
    rows = read.rows(
        "select score.name, step, label, annotator from score inner join case_run using (case_id) "
        "where score.source = 'agentrx-labels' order by score.name"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("failure", 2, "Invalid Invocation", "Assistant"),
        ("root_cause", 2, "Invalid Invocation", "Assistant"),
    ]


def test_a_log_of_a_team_names_its_speakers_and_whose_mistake_it_was(read_file: Read) -> None:
    history = [
        {"role": "human", "content": "find it"},
        {"role": "Orchestrator (thought)", "content": "plan"},
        {"role": "WebSurfer", "content": "found"},
    ]
    log = {
        "history": history, "question_ID": "q1", "mistake_agent": "WebSurfer", "mistake_step": "2",
        "mistake_reason": "it did not", "is_correct": False,
    }  # fmt: skip
    read = read_file(log)
    rows = read.rows("select agent_name from span_role where role = 'model' order by record_hash")
    assert {row["agent_name"] for row in rows} == {"Orchestrator", "WebSurfer"}
    [mistake] = read.rows("select step, label from score where name = 'mistake'")
    assert tuple(mistake.values()) == (2, "WebSurfer")
    assert read_file(history, name="q1.json").line.container == "magentic-one"


def test_a_dialogue_of_api_bank_is_its_own_gold(read_file: Read) -> None:
    failed = {"output": None, "exception": "no such alarm"}
    lines = [
        {"role": "User", "text": "wake me"},
        {"role": "AI", "text": "Setting it."},
        {"role": "API", "api_name": "AddAlarm", "param_dict": {"time": "8"},
         "result": {"output": "success", "exception": None}},
        {"role": "API", "api_name": "DeleteAlarm", "param_dict": {}, "result": failed},
        {"role": "AI", "text": "Done."},
    ]  # fmt: skip
    read = read_file(lines=lines, name="AddAlarm-level-1-1.jsonl")
    assert read.calls() == [
        ("AddAlarm", "ok", "success"), ("DeleteAlarm", "error", "no such alarm"),
    ]  # fmt: skip
    assert read.turns() == 3
    report = by_container(read.database)["api-bank"]
    assert (report.n_expected, report.n_found_with_arguments) == (2, 2)


QUESTION = {"id": "simple_python_0", "question": [[{"role": "user", "content": "x"}]]}
ANSWER = {"id": "simple_python_0", "ground_truth": [{"math.area": {"base": [10], "unit": ["", 1]}}]}


def test_bfcl_answers_are_expected_of_the_results_of_their_question(read_file: Read) -> None:
    read_file(lines=[ANSWER], name="BFCL_v4_simple_python.json")
    result = {
        "id": "simple_python_0", "result": [{"math_area": '{"base": 10}'}], "latency": 1.5,
        "input_token_count": 90, "output_token_count": 9,
    }  # fmt: skip
    read = read_file(lines=[result], name="BFCL_v4_simple_python_result.json")
    report = by_container(read.database)["bfcl-results"]
    assert (report.n_calls, report.n_expected, report.n_found) == (1, 1, 1)
    assert (report.n_timed_turns, report.turn_p95_ms) == (1, 1500.0)
    [span] = read.rows("select start_time_ns, duration_ns from span where name = 'chat'")
    assert tuple(span.values()) == (None, 1_500_000_000)


def test_old_bfcl_results_number_the_questions_of_their_category(read_file: Read) -> None:
    lines = [{"id": 0, "result": "[area(base=10, unit='cm')]", "latency": 2}]
    read = read_file(lines=lines, name="gorilla_openfunctions_v1_test_simple_result.json")
    assert read.rows("select case_id from case_run") == [{"case_id": "bfcl/simple_python_0"}]
    assert read.calls() == [("area", "pending", None)]


def test_a_bfcl_question_is_a_record_only_where_it_says_what_is_right(read_file: Read) -> None:
    none, any_call = QUESTION | {"id": "irrelevance_1"}, QUESTION | {"id": "live_relevance_2"}
    read = read_file(lines=[QUESTION, none, any_call])
    assert "1 questions without a verdict" in read.line.message
    rows = read.rows("select case_id, match from expectation order by case_id")
    assert [tuple(row.values()) for row in rows] == [
        ("bfcl/irrelevance_1", "no_call"), ("bfcl/live_relevance_2", "any_call"),
    ]  # fmt: skip


def test_bfcl_turns_hold_python_calls_that_are_read_and_never_run(read_file: Read) -> None:
    truth = [["cd(folder='a')", "mv(source='x', times=2)"], ["__import__('os').system('x')"]]
    read = read_file(lines=[{"id": "multi_turn_base_0", "ground_truth": truth}] * 2)
    rows = read.rows("select turn, call_index, tool_name, arguments from expectation order by 1, 2")
    assert [tuple(row.values()) for row in rows] == [
        (0, 0, "cd", '{"folder":"a"}'), (0, 1, "mv", '{"source":"x","times":2}'),
    ]  # fmt: skip


def test_tau2_simulations_tell_users_calls_apart_and_tasks_what_is_expected(
    read_file: Read,
) -> None:
    messages = [
        {"role": "user", "content": "hi", "timestamp": "2026-01-01T00:00:00"},
        {
            "role": "assistant", "timestamp": "2026-01-01T00:00:03", "generation_time_seconds": 2.0,
            "tool_calls": [
                {"id": "c1", "name": "get_line", "arguments": {"id": 1}, "requestor": "assistant"}
            ],
        },
        {"role": "tool", "id": "c1", "content": "no line", "requestor": "assistant", "error": True},
        {"role": "user", "tool_calls": [{"id": "u1", "name": "reboot", "requestor": "user"}]},
        {"role": "tool", "id": "u1", "content": "done", "requestor": "user", "error": False},
    ]  # fmt: skip
    task = {
        "id": "t1", "user_scenario": {}, "evaluation_criteria": {"actions": [
            {"name": "get_line", "arguments": {"id": 1, "x": 2}, "compare_args": ["id"]},
            {"name": "reboot", "arguments": {}, "requestor": "user"},
        ]},
    }  # fmt: skip
    simulation = {
        "id": "s1", "task_id": "t1", "trial": 0, "termination_reason": "user_stop",
        "messages": messages, "start_time": "2026-01-01T00:00:00", "end_time": "2026-01-01T00:01:00",
        "reward_info": {"reward": 0.0},
    }  # fmt: skip
    read = read_file({"tasks": [task], "simulations": [simulation], "info": {}})
    assert read.calls() == [("get_line", "error", "no line")]
    [turn] = read.rows("select duration_ns from span where name = 'chat'")
    assert turn["duration_ns"] == 2_000_000_000
    report = by_container(read.database)["tau2"]
    assert (report.n_expected, report.n_found_with_arguments) == (1, 1)


def test_a_voice_call_of_tau2_is_read_tick_by_tick(read_file: Read) -> None:
    call = {"id": "c1", "name": "get_line", "arguments": {}, "requestor": "assistant"}
    ticks = [
        {"tick_id": 0, "timestamp": "2026-01-01T00:00:00", "agent_chunk": {"content": "hello"}},
        {"tick_id": 1, "timestamp": "2026-01-01T00:00:01", "agent_tool_calls": [call],
         "agent_tool_results": [{"id": "c1", "content": "ok", "requestor": "assistant"}]},
    ]  # fmt: skip
    simulation = {"id": "s", "task_id": "t", "termination_reason": "user_stop", "ticks": ticks}
    assert read_file(simulation).calls() == [("get_line", "ok", "ok")]


def test_both_polarities_of_agentdojo_say_whether_the_attack_succeeded(read_file: Read) -> None:
    run = {
        "suite_name": "bank", "user_task_id": "user_task_1", "injection_task_id": "injection_2",
        "pipeline_name": "gpt", "utility": True, "security": True, "duration": 3.0,
        "messages": [
            {"role": "assistant", "content": "", "tool_calls": [
                {"function": "send", "args": {"to": "eve"}, "id": "c1"}]},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "content": "no"}],
             "error": "ValueError: no"},
        ],
    }  # fmt: skip
    luna = {
        "suite_name": "bank", "available_tools": ["send"], "messages": run["messages"],
        "run_id": "r2", "evaluation": {"utility": False, "security": False, "outcome": "poisoned"},
    }  # fmt: skip
    read = read_file([run, luna])
    assert read.line.container == "agentdojo"
    assert [call[:2] for call in read.calls()] == [("send", "error"), ("send", "error")]
    rows = read.rows("select value from score where name = 'attack_success'")
    assert [row["value"] for row in rows] == [1.0, 1.0]


def test_an_action_in_text_is_a_call_of_its_first_word(read_file: Read) -> None:
    history = [
        {"role": "system", "content": "s", "agent": "main"},
        {"role": "user", "content": "demo", "agent": "main", "is_demo": True},
        {"role": "assistant", "content": "look", "action": "open 'a b.py' 3\n", "agent": "main"},
        {"role": "user", "content": "file shown", "agent": "main"},
        {"role": "assistant", "content": "", "action": "submit", "agent": "main"},
    ]
    trajectory = [{"action": "open", "observation": "x", "execution_time": 0.5}]
    read = read_file(
        {"history": history, "trajectory": trajectory, "info": {"exit_status": "submitted"}}
    )
    assert read.calls() == [("open", "ok", "file shown"), ("submit", "pending", None)]
    assert read.rows("select name, label from score") == [
        {"name": "exit_status", "label": "submitted"}
    ]


def test_steps_of_atif_carry_calls_and_their_observations(read_file: Read) -> None:
    step = {
        "step_id": 2, "source": "agent", "message": "look", "timestamp": "2026-01-01T00:00:00Z",
        "tool_calls": [{"tool_call_id": "c1", "function_name": "bash", "arguments": {"c": "ls"}}],
        "observation": {"results": [{"source_call_id": "c1", "content": "Error: no"}]},
        "metrics": {"prompt_tokens": 5, "completion_tokens": 2},
    }  # fmt: skip
    first = {"step_id": 1, "source": "user", "message": "go"}
    trajectory = {
        "schema_version": "ATIF-v1.2", "session_id": "s", "agent": {"name": "shop"},
        "steps": [first, step],
    }  # fmt: skip
    read = read_file(trajectory)
    assert (read.line.container, read.calls()) == ("atif", [("bash", "error", "Error: no")])
    [trace] = read.rows("select agent_name, session_id, input_tokens from trace")
    assert tuple(trace.values()) == ("shop", "s", 5)


def test_an_eval_set_of_adk_expects_calls_or_none(read_file: Read) -> None:
    def invocation(*uses: dict[str, Any]) -> dict[str, Any]:
        return {
            "user_content": {"role": "user", "parts": [{"text": "go"}]},
            "intermediate_data": {"tool_uses": list(uses)},
            "final_response": {"role": "model", "parts": [{"text": "done"}]},
        }

    case = {
        "eval_id": "e1",
        "conversation": [invocation({"name": "set", "args": {"on": True}}), invocation()],
    }
    read = read_file({"eval_set_id": "s", "eval_cases": [case]})
    rows = read.rows("select turn, tool_name, match, is_complete from expectation order by turn")
    assert [tuple(row.values()) for row in rows] == [
        (0, "set", "exact", True), (1, None, "no_call", True),
    ]  # fmt: skip
    older = [{"query": "go", "expected_tool_use": [{"tool_name": "set", "tool_input": {}}]}]
    assert read_file(older, name="old.json").line.n_stored == 1
