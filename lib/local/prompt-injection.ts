/**
 * What a model that obeys whatever stands in its material would answer: the text behind the last `OBEY:` found anywhere in the request, or
 * `OBEY-SIZE: n` characters of it. Undefined when nobody demands anything.
 */
export function demandIn(request: unknown): string | undefined {
  let demand: string | undefined
  const look = (value: unknown): void => {
    if (typeof value === 'string') demand = demandOf(value) ?? demand
    else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) look(item)
  }
  look(request)
  return demand
}

function demandOf(text: string): string | undefined {
  const inner = unpacked(text)
  if (inner !== undefined) return demandIn(inner)
  const size = /OBEY-SIZE: (\d{1,8})/.exec(text)?.[1]
  if (size) return 'x'.repeat(Number(size))
  return /OBEY: ([\s\S]+)$/.exec(text)?.[1]
}

/** Facts travel as JSON within a text. */
function unpacked(text: string): unknown {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
