/** The rules that hold for every operation; the document's own description. */
export const conventions = `Guided flows, AI-assisted diagnosis and escalation for IT support teams.

- **Access.** \`x-access\` is the least role that an operation needs; without it every signed-in user may call. \`x-feature\` is what the plan has to
  include.
- **Values.** Ids are UUIDs that sort by creation time. Times are RFC 3339 in UTC with milliseconds. Money is whole cents with an ISO currency.
  PATCH changes the given fields and leaves the others, and so does PUT unless its description says that it replaces. null for an optional field that cannot be null is the same as leaving it out.
- **Errors** are \`{"detail"}\`, a sentence for people. Where a client must tell cases apart there is a \`code\`; the schema \`ErrorCode\` lists all
  of them, each operation lists its own. 422 lists every invalid value with its place. A row of another account is 404; an action that your
  role may not do is 403. 409 \`stale_version\` means that someone else changed the row first and nothing was written: read it again, then
  repeat. 503 is temporary: repeat after a few seconds. Billing answers \`{"error"}\` alone.
- **API keys** are bearer tokens for programs. \`x-api-key-scopes\` names the scopes that an operation needs; \`write\` includes \`read\`, and \`*\` is every
  subject. Other operations are closed to keys. A key acts as a user of its own with the key's role and team.
- **Retries.** Most POSTs take an \`Idempotency-Key\`. For 24 hours the same request with the same key has one effect and one answer, so it is
  safe to repeat it when no answer arrived; \`Idempotent-Replayed: true\` marks an answer of an earlier request.
- **Long answers.** Operations that ask the model take \`Prefer: respond-async\` and answer 202 with the address of a task. A request whose
  connection ends, or that takes longer than two seconds, becomes a task too: \`GET /ai/tasks\` lists them for 24 hours, with their answers.
- **Lists** are arrays. \`limit\` sets the length of a page, and \`Link\` names the next one while more rows follow: it starts
  after the last item, so that no row is repeated or lost while others come and go. \`skip\` jumps over a number of rows.
  With \`fields\` the items have only the named fields; so do the answers with a session, a case, a flow or a diagram.
- **Rate limits** are in \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds). Above a limit the answer is 429 with
  \`Retry-After\`. Limits of at most 10 calls an hour count valid requests only; their operations answer 60 invalid ones an hour.
  Of a sign-in (password, second factor, passkey, provider, refresh) only failures count. \`x-rate-limit\` names the limit; without it, it is \`read\` for a GET and \`write\` for the others.
- **\`X-Request-Id\`** is on every answer; a client may send its own. Name it when you report a problem.`
