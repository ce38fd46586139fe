type Facts = Record<string, unknown>

interface Prompt<T> {
  facts: Facts
  turns: readonly T[]
}

/** Lists that a search has found, the least useful first. Each is ordered by how well it fits. */
const foundLists = ['templates', 'resolved_sessions', 'articles', 'flows']
/** Lists in the order of time, the least useful first. */
const timeLists = ['conversation', 'steps', 'script_runs', 'refused_fixes', 'looked_up', 'evidence', 'known']
const minText = 500

/**
 * Return a prompt without its oldest and least important parts, so that at most `max` characters of JSON are
 * left: first what a search has found, the worst matches before the best ones; then the oldest turns and the
 * oldest entries of lists; then the second half of long texts. The fact `left_out` says how many. Return
 * undefined if that is not enough.
 */
export function shortenFacts<T extends { text: string }>(
  { facts, turns }: Prompt<T>,
  max: number,
): Prompt<T> | undefined {
  const short: Facts = { ...facts }
  let kept = turns
  const leftOut = { sources: 0, messages: 0, entries: 0, texts: 0 }
  let size = measure(short) + kept.reduce((sum, turn) => sum + measure(turn.text), 0)
  const drop = (name: string, from: 'start' | 'end', count: keyof typeof leftOut) => {
    const list = short[name]
    if (!Array.isArray(list)) return
    const [items, least] = [[...list], from === 'end' ? 0 : 1]
    while (size > max && items.length > least) {
      size -= measure(from === 'end' ? items.pop() : items.shift()) + 1
      leftOut[count]++
    }
    short[name] = items
  }
  for (const name of foundLists) drop(name, 'end', 'sources')
  while (size > max && kept.length > 1) {
    size -= measure(kept[0]?.text)
    kept = kept.slice(1)
    leftOut.messages++
  }
  for (const name of timeLists) drop(name, 'start', 'entries')
  const halve = (value: unknown): unknown => {
    if (size <= max) return value
    if (typeof value === 'string' && value.length > minText) {
      const half = `${value.slice(0, Math.max(minText, value.length - (size - max) - 1)).toWellFormed()}…`
      size -= measure(value) - measure(half)
      leftOut.texts++
      return half
    }
    if (Array.isArray(value)) return value.map(halve)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, halve(each)]))
  }
  const texts = halve(short) as Facts
  if (size > max) return undefined
  const counts = Object.fromEntries(Object.entries(leftOut).filter(([, count]) => count > 0))
  return { facts: { ...texts, left_out: counts }, turns: kept }
}

const measure = (value: unknown): number => JSON.stringify(value ?? null).length
