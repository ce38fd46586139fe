/**
 * Return how many bytes longer a JSON text is at most when it is indented. Lines of deep lists can have more
 * spaces than text.
 */
export function countIndentation(json: string): number {
  let [depth, bytes] = [1, 0]
  for (let index = 0; index < json.length; index++) {
    const character = json.charAt(index)
    if (character === '[' || character === '{') depth++
    else if (character === ']' || character === '}') depth--
    else if (character !== ',' && character !== ':') continue
    bytes += 1 + 2 * Math.max(0, depth)
  }
  return bytes
}

/** Write a value as JSON, indented unless that would be longer than an answer may be. */
export function writeIndentedJson(value: object, maxBytes: number): string {
  const json = JSON.stringify(value)
  return json.length + countIndentation(json) > maxBytes ? json : JSON.stringify(value, null, 2)
}
