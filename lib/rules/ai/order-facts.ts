// The provider charges less for the beginning of a prompt that is the same as in an earlier request:
// https://developers.openai.com/api/docs/guides/prompt-caching

/** Facts that are found by a search with the newest message. They often stay the same. */
const foundFacts = ['flows', 'articles', 'resolved_sessions', 'templates']
/** Facts that change during a case or a conversation, the least frequent changes first. */
const changingFacts = [
  'conversation',
  'steps',
  'fixes',
  'refused_fixes',
  'script_runs',
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
  'looked_up',
  'left_out',
  'now',
  'problems',
]

type Facts = Record<string, unknown>

/**
 * Split facts into lasting and changing ones. Each part is in the order in which it is sent: facts that
 * change least come first.
 */
export function splitFacts(facts: Facts): { lasting: Facts; changing: Facts } {
  const others = Object.keys(facts).filter(
    (name) => !foundFacts.includes(name) && !changingFacts.includes(name),
  )
  return { lasting: pick(facts, [...others, ...foundFacts]), changing: pick(facts, changingFacts) }
}

function pick(facts: Facts, names: readonly string[]): Facts {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(facts, name)).map((name) => [name, facts[name]]),
  )
}
