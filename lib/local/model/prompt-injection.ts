/**
 * Find the answer that injected text demands from a model without any defence. This is the text after the
 * last `OBEY:` anywhere in the request, or as many characters as `OBEY-SIZE:` says. Returns undefined if the
 * request contains neither.
 */
export function findInjectedAnswer(request: unknown): string | undefined {
  let answer: string | undefined
  const search = (value: unknown): void => {
    if (typeof value === 'string') answer = parseDemand(value) ?? answer
    else if (typeof value === 'object' && value !== null)
      for (const item of Object.values(value)) search(item)
  }
  search(request)
  return answer
}

function parseDemand(text: string): string | undefined {
  const facts = parseObject(text)
  if (facts !== undefined) return findInjectedAnswer(facts)
  const size = /OBEY-SIZE: (\d{1,8})/.exec(text)?.[1]
  if (size) return 'x'.repeat(Number(size))
  return /OBEY: ([\s\S]+)$/.exec(text)?.[1]
}

/** Parse a text that contains a JSON object, as the facts of a request do. */
function parseObject(text: string): unknown {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
