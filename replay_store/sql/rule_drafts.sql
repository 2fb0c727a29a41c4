-- Drafts as they were left last, newest first, with who had a hand in them and since when. A NULL
-- parameter lets everything pass.
with newest as (
    select
        draft_id,
        list(distinct author) filter (author is not null) as authors,
        min(saved_time_ns) as begun_time_ns,
        max(saved_time_ns) as saved_time_ns
    from rule_draft
    where rule_set = $rule_set
        and ($draft_id is null or draft_id = $draft_id::uuid)
    group by draft_id
)

select
    rule_draft.draft_id::varchar as draft_id,
    rule_draft.base_version,
    rule_draft.version,
    rule_draft.body,
    rule_draft.edits,
    rule_draft.state,
    rule_draft.author,
    list_sort(newest.authors) as authors,
    newest.begun_time_ns,
    newest.saved_time_ns
from rule_draft
inner join newest
    on rule_draft.draft_id = newest.draft_id
    and rule_draft.saved_time_ns = newest.saved_time_ns
where $state is null
    or rule_draft.state = $state
order by
    newest.saved_time_ns desc,
    rule_draft.draft_id
