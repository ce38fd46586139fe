/**
 * Create a function that returns the line of a position in a text; the first is 1. Positions ascend, so that
 * one pass finds all lines.
 */
export function createLineCounter(text: string): (position: number) => number {
  let line = 1
  let counted = 0
  return (position) => {
    for (
      let end = text.indexOf('\n', counted);
      end >= 0 && end < position;
      end = text.indexOf('\n', counted)
    ) {
      counted = end + 1
      line++
    }
    return line
  }
}
