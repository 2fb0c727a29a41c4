"""The part of the noise tab in which people set strength and seed and see what becomes of the texts."""

import streamlit as st

from dashboard import links
from dashboard.components.prompt_diff import prompt_diff
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.facts import Fact, facts
from dashboard.views.saw.grid import change_rows, columns
from dashboard.views.saw.noise import change_table
from dashboard.views.saw.noise_trial import (
    DEFAULT_INTENSITY,
    NoiseTrial,
    is_recorded,
    profile_of,
    try_noise,
)
from dashboard.views.saw.reading import Reading, Renderer
from replay_store.records import Observation
from replay_store.saw import RecordedObservation

_MAX_SEED = 2**31 - 1


def noise_try(recorded: RecordedObservation, clean: Reading, renderer: Renderer) -> None:
    """Draw the slider, and clean → noisy at its strength."""
    seen = recorded.observation
    st.markdown(f"**{t('saw_try_noise')}**")
    st.caption(t("saw_try_noise_hint"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="saw_try"):
        intensity = _intensity(seen)
        seed = _seed(seen)
    trial = try_noise(clean, renderer, seed, intensity)
    if trial is None:
        st.info(t("saw_no_snapshot"), icon=":material/visibility_off:")
        return
    _figures(recorded, trial, seed, intensity)
    if not trial.injection.records:
        st.caption(t("saw_try_nothing"))
        return
    change_table(trial.injection.records, trial.reading, "saw_try_table")
    prompt_diff(
        columns(trial.reading, "", is_raw_shown=False),
        change_rows(clean, trial.reading),
        fact=t("saw_fact"),
        key="saw_grid_try",
    )


def _figures(recorded: RecordedObservation, trial: NoiseTrial, seed: int, intensity: float) -> None:
    header = trial.injection.header
    same = t("saw_try_as_recorded") if is_recorded(recorded, seed, intensity) else None
    facts(
        (
            Fact(t("noise_profile"), profile_of(recorded.observation).name),
            Fact(t("saw_eligible"), count_text(header.n_eligible)),
            Fact(t("saw_hit"), count_text(header.n_hit)),
            Fact(t("saw_whitelisted"), count_text(header.n_whitelisted)),
            Fact(t("saw_try_same"), same),
        ),
        key="saw_try",
    )


def _intensity(seen: Observation) -> float:
    """Its strength, from the address; written there as people move the slider."""
    key = "saw_try_intensity"

    def changed() -> None:
        links.set_parameter("intensity", f"{st.session_state[key]:.2f}")

    default = DEFAULT_INTENSITY if seen.noise_intensity is None else seen.noise_intensity
    st.session_state[key] = _share(st.query_params.get("intensity", ""), default)
    return st.slider(t("saw_intensity"), 0.0, 1.0, step=0.05, key=key, on_change=changed, width=320)


def _seed(seen: Observation) -> int:
    key = "saw_try_seed"

    def changed() -> None:
        links.set_parameter("seed", str(st.session_state[key]))

    wanted = st.query_params.get("seed", "")
    is_number = wanted.isascii() and wanted.isdecimal() and len(wanted) < 11
    seed = int(wanted) if is_number else seen.noise_seed or 0
    st.session_state[key] = min(max(seed, 0), _MAX_SEED)
    chosen = st.number_input(
        t("noise_seed"), 0, _MAX_SEED, step=1, key=key, on_change=changed, width=160
    )
    return int(chosen)


def _share(text: str, default: float) -> float:
    try:
        share = float(text)
    except ValueError:
        return default
    return share if 0.0 <= share <= 1.0 else default
