/**
 * Return the length of the longest run of a character. A list of all runs as arguments would be too long for
 * a call.
 */
export function findLongestRun(text: string, character: string): number {
  let longest = 0
  for (let start = text.indexOf(character); start >= 0; start = text.indexOf(character, start)) {
    const runStart = start
    while (text[start] === character) start++
    longest = Math.max(longest, start - runStart)
  }
  return longest
}
