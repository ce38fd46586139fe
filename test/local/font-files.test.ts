import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtAssets } from '#local/worker.ts'

const fonts = join(builtAssets, 'fonts')
const names = readdirSync(fonts)
const readMap = (name: string) => new Uint16Array(new Uint8Array(readFileSync(join(fonts, name))).buffer)
const maps = names.filter((name) => name.endsWith('.map')).map(readMap)

it('INS-13 each file of a font is loaded by some character, and exists', () => {
  const used = new Set(maps.flatMap((map) => [...new Set(map)]).filter((index) => index > 0))
  const files = names.filter((name) => name.endsWith('.font')).map((name) => Number.parseInt(name, 10))
  expect(files.toSorted((a, b) => a - b)).toEqual([...used].sort((a, b) => a - b))
})

it('INS-13 no character loads a file of more than 700 KB', () => {
  const large = names.filter((name) => statSync(join(fonts, name)).size > 700_000)
  expect(large).toEqual([])
})

it.each([...'aЖΩעم中學ヴゟㄱ한ㄪ〚😀🖧∑'])('INS-13 %s is in a font', (character) => {
  const code = character.codePointAt(0) ?? 0
  const map = readMap(`text-${code >> 16}.map`)
  expect(map[code & 0xffff]).toBeGreaterThan(0)
})
