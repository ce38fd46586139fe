/**
 * Facts that change while a case or a conversation continues, the most lasting first. All others stand before them. The provider charges
 * less for the part of a prompt that begins as an earlier one did: https://developers.openai.com/api/docs/guides/prompt-caching
 */
const changingFacts = [
  'conversation',
  'steps',
  'flows',
  'articles',
  'resolved_sessions',
  'templates',
  'fixes',
  'refused_fixes',
  'evidence',
  'known',
  'triage',
  'task_lane',
  'handoff',
  'draft',
  'script',
  'parameters',
  'kind',
  'audience',
  'length',
  'node',
  'instruction',
  'problems',
]

/** Return the facts in the order in which they are sent: what changes least stands first. */
export function orderFacts(facts: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(facts)
  const lasting = names.filter((name) => !changingFacts.includes(name))
  const changing = changingFacts.filter((name) => Object.hasOwn(facts, name))
  return Object.fromEntries([...lasting, ...changing].map((name) => [name, facts[name]]))
}
