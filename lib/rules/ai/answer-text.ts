const openingTag = '<think>'
const closingTag = '</think>'
const maxTries = 8
// Of white space before the thoughts.
const maxStart = 1000

/**
 * Return the texts of the JSON objects in an answer, in their order. Thoughts, a fence and words around them
 * are left out. At most eight opening braces are tried, so the work is linear.
 */
export function listAnswerObjects(answer: string): string[] {
  const text = answer.slice(findEndOfThoughts(answer))
  const objects: string[] = []
  let at = text.indexOf('{')
  for (let tries = 0; at >= 0 && tries < maxTries; tries++) {
    const end = findEndOfObject(text, at)
    if (end !== undefined) objects.push(text.slice(at, end))
    at = text.indexOf('{', end ?? at + 1)
  }
  return objects
}

/** Some chat templates write the opening tag themselves, so an answer can have the closing one alone. */
function findEndOfThoughts(answer: string): number {
  const start = answer.trimStart()
  if (start.startsWith('{')) return 0
  const end = answer.indexOf(closingTag)
  if (end >= 0) return end + closingTag.length
  return start.startsWith(openingTag) ? answer.length : 0
}

/** Return the offset after the brace that closes the one at `from`. Braces in texts do not count. */
function findEndOfObject(text: string, from: number): number | undefined {
  let depth = 0
  let isInText = false
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (isInText) {
      if (character === '\\') at++
      else if (character === '"') isInText = false
    } else if (character === '"') isInText = true
    else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return at + 1
  }
  return undefined
}

/**
 * Create a function that takes the pieces of an answer and returns what follows its thoughts. While they last
 * it returns ''. It keeps a few characters only.
 */
export function createThoughtFilter(): (piece: string) => string {
  let state: 'start' | 'thoughts' | 'answer' = 'start'
  let buffer = ''
  return (piece) => {
    if (state === 'answer') return piece
    buffer += piece
    if (state === 'start') {
      const start = buffer.trimStart()
      if (buffer.length <= maxStart && start.length < openingTag.length && openingTag.startsWith(start))
        return ''
      state = start.startsWith(openingTag) ? 'thoughts' : 'answer'
      if (state === 'answer') return buffer
    }
    const end = buffer.indexOf(closingTag)
    if (end < 0) {
      buffer = buffer.slice(1 - closingTag.length)
      return ''
    }
    state = 'answer'
    return buffer.slice(end + closingTag.length)
  }
}
