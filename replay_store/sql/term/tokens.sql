-- Traces whose tokens, in and out, lie between two values, both inclusive; NULL is no bound.
coalesce(input_tokens + output_tokens, input_tokens, output_tokens)
    between coalesce($low::bigint, 0) and coalesce($high::bigint, 9223372036854775807)
