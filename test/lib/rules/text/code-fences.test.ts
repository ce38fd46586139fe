import { expect, it } from 'vitest'
import { classifyLines, findCodeBlocks } from '#rules/text/code-fences.ts'

/** Return the kind of each line: `-` for text, `!` for a fence without a closing one, `#` for code. */
const classify = (...lines: string[]) => Array.from(classifyLines(lines), (kind) => '-!#'[kind]).join('')

it.each<[string, string[]]>([
  ['', []],
  ['---', ['a', '``', '~~']],
  ['-###-', ['a', '```', 'b', '```', 'c']],
  ['###', ['```sh', 'b', '```']],
  ['###', ['~~~ `x`', '```', '~~~']],
  ['-!', ['```x```', '```']],
  ['####', ['````', '```', 'a', '````']],
  ['###', ['```', 'a', '`````']],
  ['!-', ['````', '```'].map((line, n) => (n === 1 ? 'a' : line))],
  ['!!', ['````', '```']],
  ['!!', ['```', '~~~']],
  ['####', ['~~~', '```', 'a', '~~~']],
  ['###', ['   ```', 'a', '   ``` \t']],
  ['---', ['    ```', 'a', '    ```']],
  ['###', ['```', '``` x', '```']],
  ['!--', ['```', 'a', '    ```']],
  ['######', ['```', 'a', '```', '~~~', 'b', '~~~']],
  ['###!', ['```', 'a', '```', '```']],
  ['!##', ['~~~~', '~~~', '~~~']],
])('classifies %s: %j', (kinds, lines) => {
  expect(classify(...lines)).toBe(kinds)
})

it('reads from a line on', () => {
  const lines = ['```', '```', 'a', '```']
  expect(findCodeBlocks(lines)).toEqual({ blocks: [{ from: 0, to: 1 }], unclosed: [3] })
  expect(findCodeBlocks(lines, 1)).toEqual({ blocks: [{ from: 1, to: 3 }], unclosed: [] })
})
