import { expect, it } from 'vitest'
import { toPlainOutput } from '#rules/text/terminal-output.ts'

it.each([
  ['50 %\r100 %\r\r\nok\r', '50 %\n100 %\nok\n'],
  ['\u009b31mred\u009b0m \u009d0;title\u009cdone \u0085\u009dopen', 'red done open'],
  ['\u202eexe.txt\u202c a\u200bb\ufeff \u2066x\u2069 👩\u200d💻', 'exe.txt ab x 👩\u200d💻'],
])('SCR-32 keeps %j as plain text', (output, text) => expect(toPlainOutput(output)).toBe(text))

it('SCR-32 removes long runs of terminal controls in linear time', () => {
  for (const part of ['\u009d', '\u009d;', '\u001b]', '\u009b;'])
    expect(toPlainOutput(part.repeat(65_536)).length).toBeLessThan(65_537)
})
