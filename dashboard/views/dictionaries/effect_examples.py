"""Examples of one class of change: where to look, and what the model would read in any template."""

import streamlit as st

from dashboard import links, queries
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.roles import caller
from dashboard.views.dictionaries.draft import Draft
from pipeline.observation import LANGUAGES, TEMPLATES, load_rules
from replay_store.backtest_compare import LANGUAGE, TEMPLATE, prompt_pair
from replay_store.backtest_impact import ChangeClass, PromptPair
from replay_store.saw import get_observation

_DEBUG = "debug"


def examples(item: ChangeClass, draft: Draft) -> None:
    """Draw links to the examples, and the first one's prompts side by side."""
    with st.container(horizontal=True, gap="small", key="dictionaries_examples"):
        st.caption(t("dictionaries_examples"), width="content")
        for number, example in enumerate(item.examples, 1):
            links.page_link(
                "saw",
                t("dictionaries_example", n=number),
                icon=":material/visibility:",
                trace_id=example.trace_id,
                span=example.span_id,
            )
        links.page_link(
            "trace",
            t("page_trace"),
            icon=":material/account_tree:",
            trace_id=item.prompt.trace_id,
            span=item.prompt.span_id,
        )
    _prompts(_in_template(item.prompt, draft, *_chosen()))


def _chosen() -> tuple[str, str]:
    """Template and language; debug prompts hold raw outputs and are for those who may see them."""
    templates = [name for name in TEMPLATES if name != _DEBUG or caller().sees_raw]
    with st.container(horizontal=True, gap="small", key="dictionaries_prompt_bar"):
        template = st.segmented_control(
            t("dictionaries_prompt_template"),
            templates,
            default=TEMPLATE,
            key="dictionaries_prompt_template",
            required=True,
            label_visibility="collapsed",
        )
        language = st.segmented_control(
            t("dictionaries_prompt_language"),
            LANGUAGES,
            default=LANGUAGE,
            key="dictionaries_prompt_language",
            required=True,
            label_visibility="collapsed",
        )
    return str(template or TEMPLATE), str(language or LANGUAGE)


def _in_template(known: PromptPair, draft: Draft, template: str, language: str) -> PromptPair:
    """The prompts of the example in another template; those that are known where it is gone."""
    if (template, language) == (TEMPLATE, LANGUAGE):
        return known
    recorded = get_observation(queries.database(), known.trace_id, known.span_id)
    if recorded is None:
        return known
    rules = load_rules(draft.base), load_rules(draft.texts)
    return prompt_pair(recorded, *rules, template=template, language=language)


def _prompts(prompt: PromptPair) -> None:
    delta = prompt.n_tokens_after - prompt.n_tokens_before
    st.caption(t("dictionaries_prompt_hint", delta=f"{delta:+,}"))
    before, after = st.columns(2, gap="small")
    with before:
        st.caption(t("dictionaries_prompt_before", n=count_text(prompt.n_tokens_before)))
        st.code(prompt.before, language=None, wrap_lines=True)
    with after:
        st.caption(t("dictionaries_prompt_after", n=count_text(prompt.n_tokens_after)))
        st.code(prompt.after, language=None, wrap_lines=True)
