import { expect, it } from 'vitest'
import { fold, listLetters, toNameKey, toReadForm } from '#rules/text/fold.ts'
import { sharedService } from '#test/support/app.ts'
import { night } from '#test/support/night.ts'

/** Spellings that are the same for a reader, with the form of a search and that of a name. */
const cases: [text: string, folded: string, key?: string][] = [
  ['Müller', 'muller', 'müller'],
  ['Mu\u0308ller', 'muller', 'müller'],
  ['ŁÓDŹ', 'lodz', 'łódź'],
  ['Ærø ŒUVRE Straße Þór', 'aero oeuvre strasse thor', 'ærø œuvre strasse þór'],
  ['STRASSE STRAẞE straße', 'strasse strasse strasse'],
  ['ﾌﾟﾘﾝﾀｰ', 'プリンター'],
  ['フ\u309aリンター', 'プリンター'],
  ['ＡＢＣ１', 'abc1'],
  ['O’Brien O´Brien OʼBrien', "o'brien o'brien o'brien"],
  ['“a” „b“ «c»', '"a" "b" "c"'],
  ['İstanbul I\u0307stanbul ıslak', 'istanbul istanbul islak'],
  ['한국어 \u1112\u1161\u11ab', '한국어 한'],
  ['so\u00adft zero\u200bwidth \u202ebidi \u{e0041}tag', 'soft zerowidth bidi tag'],
  ['EAP\u2011245 a–b—c−d', 'eap-245 a-b-c-d'],
  ['שָׁלוֹם', 'שלום'],
  ['مُـحَمَّد', 'محمد'],
  ['می\u200cخواهم', 'میخواهم'],
  ['हिन्दी ज़रूरी', 'हिन्दी जरूरी', 'हिन्दी ज़रूरी'],
  ['ก\u0e33 ไทย', 'ก\u0e4d\u0e32 ไทย', 'ก\u0e4d\u0e32 ไทย'],
  ['ΟΔΟΣ οδος', 'οδοσ οδοσ'],
  ['ﬁle\u00a0x\u202fy', 'file x y'],
  ['й ё', 'и е', 'й ё'],
]

it.each(cases)('SEA-11 %s is folded to %s', (text, folded, key) => {
  expect([fold(text), toNameKey(text)]).toEqual([folded, key ?? folded])
})

/** Characters that stand for themselves. They are four fifths of all. */
const plainIdeograph = /(?![\uf900-\ufaff\u{2f800}-\u{2fa1f}])[\p{sc=Han}\p{sc=Hang}\p{sc=Tang}\p{sc=Egyp}]/u
/** Capital letters of Unicode 16 and 17, which a database may not know. */
const newCapital = /[\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}]/u

it('SEA-11 the database folds every character and every case as the rules do', night, async () => {
  const service = await sharedService()
  const characters = Array.from({ length: 0xe1000 }, (_, code) => code)
    .filter((code) => code > 0 && (code < 0xd800 || code > 0xdfff))
    .map((code) => String.fromCodePoint(code))
    .filter((character) => !plainIdeograph.test(character) && !newCapital.test(character))
  const texts = [...cases.map(([text]) => text), ...characters.map((character) => `x${character}i y`)]
  const rows = await service.sql<Record<'text' | 'read' | 'key' | 'folded', string>>(
    `select t as text, app.read_form(t) as read, app.name_key(t) as key, app.fold(t) as folded from unnest($1::text[]) u (t)
      where unicode_assigned(t)`,
    [texts],
  )
  expect(rows.length).toBeGreaterThan(25_000)
  const differences = rows.filter(
    ({ text, read, key, folded }) =>
      read !== toReadForm(text) || key !== toNameKey(text) || folded !== fold(text),
  )
  expect(differences.slice(0, 20)).toEqual([])
})

it('SEA-11 the letters of a text are folded alone as together', () => {
  for (const [text] of cases) expect(listLetters(text).map(fold).join('')).toBe(fold(text))
})
