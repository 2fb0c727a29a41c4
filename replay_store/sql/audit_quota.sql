-- How many decisions to draw from each part of the frame; the lists are of equal length.
create or replace temp table audit_quota as
select
    unnest($strata::integer[]) as stratum,
    unnest($tool_names::varchar[]) as tool_name,
    unnest($contract_versions::varchar[]) as contract_version,
    unnest($suspicions::boolean[]) as is_suspicious,
    unnest($n_frames::integer[]) as n_frame,
    unnest($n_traces::integer[]) as n_traces,
    unnest($quotas::integer[]) as quota
