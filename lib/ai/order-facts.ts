// The provider charges less for the part of a prompt that begins as an earlier one did:
// https://developers.openai.com/api/docs/guides/prompt-caching

/** Facts that follow the words of the newest message, and often stay the same. */
const foundFacts = ['flows', 'articles', 'resolved_sessions', 'templates']
/** Facts that change while a case or a conversation continues, the most lasting first. */
const changingFacts = [
  'conversation',
  'steps',
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

type Facts = Record<string, unknown>

/** Split facts into those that last and those that change, each in the order in which they are sent: what changes least stands first. */
export function splitFacts(facts: Facts): { lasting: Facts; changing: Facts } {
  const others = Object.keys(facts).filter((name) => !foundFacts.includes(name) && !changingFacts.includes(name))
  return { lasting: pick(facts, [...others, ...foundFacts]), changing: pick(facts, changingFacts) }
}

function pick(facts: Facts, names: readonly string[]): Facts {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(facts, name)).map((name) => [name, facts[name]]))
}
