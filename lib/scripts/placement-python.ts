import type { FindUnsafePlaces } from './placeholders.ts'

/** Walks Python as far as strings and comments go. */
export const pythonPlaces: FindUnsafePlaces = (body, placeholders) => {
  const reasons = new Map<number, string>()
  const starts = new Map(placeholders.map((placeholder) => [placeholder.start, placeholder]))
  let state: 'code' | 'comment' | "'" | '"' | "'''" | '"""' = 'code'
  for (let at = 0; at < body.length; ) {
    const placeholder = starts.get(at)
    if (placeholder) {
      if (state === 'comment') reasons.set(at, 'stands in a comment')
      else if (state !== 'code') reasons.set(at, 'stands in a quoted string: leave the quotes out, the value brings its own')
      else if (/[\w"'\\.]$/.test(body.slice(Math.max(0, at - 1), at)))
        reasons.set(at, 'does not stand by itself: what is before it would change its meaning')
      else if (/^[\w"']/.test(body.slice(placeholder.end, placeholder.end + 1)))
        reasons.set(at, 'does not stand by itself: what is after it would become a part of it')
      at = placeholder.end
      continue
    }
    const char = body[at] ?? ''
    if (state === 'code') {
      const triple = body.slice(at, at + 3)
      if (char === '#') state = 'comment'
      else if (triple === "'''" || triple === '"""') {
        state = triple
        at += 2
      } else if (char === "'" || char === '"') state = char
      else if (char === '\\') at++
      at++
    } else if (state === 'comment') {
      if (char === '\n') state = 'code'
      at++
    } else if (char === '\\') at += 2
    else if (state.length === 3 ? body.startsWith(state, at) : char === state || char === '\n') {
      at += state.length === 3 ? 3 : 1
      state = 'code'
    } else at++
  }
  return reasons
}
