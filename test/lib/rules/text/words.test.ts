import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fold } from '#rules/text/words.ts'
import { sharedService } from '#test/support/app.ts'

it.each([
  ['Müller', 'muller'],
  ['ŁÓDŹ', 'lodz'],
  ['Ærø ŒUVRE Straße Þór', 'aero oeuvre strasse thor'],
  ['ﾌﾟﾘﾝﾀｰ', 'プリンター'],
  ['ＡＢＣ１', 'abc1'],
  ['O’Brien', "o'brien"],
  ['İstanbul ıslak', 'istanbul islak'],
  ['한국어 が', '한국어 が'],
  ['so\u00adft zero\u200bwidth \u202ebidi', 'soft zerowidth bidi'],
  ['EAP\u2011245 a–b—c−d', 'eap-245 a-b-c-d'],
  ['שָׁלוֹם', 'שלום'],
  ['مُـحَمَّد', 'محمد'],
])('SEA-11 %s is folded to %s', (text, expected) => {
  expect(fold(text)).toBe(expected)
})

it('SEA-11 the database folds as the rules do', async () => {
  const service = await sharedService()
  const letters = fc.constantFrom(
    ...'\u00ad\u200b\u2011–−\u05b8\u064e\u0640אمaAäÄłŁøØđĐħĦıİŧŊςΣΩæÆœŒßẞþÞ’‘ʼがﾌﾟﾘ한打ＡéÉ½ﬁ '.normalize(
      'NFC',
    ),
  )
  const texts = fc.sample(
    fc.string({
      unit: fc.oneof(letters, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
      maxLength: 20,
    }),
    400,
  )
  const storable = texts.filter((text) => text.isWellFormed() && !text.includes('\0'))
  const rows = await service.sql<{ folded: string }>(
    'select app.fold(t) as folded from unnest($1::text[]) with ordinality u (t, n) order by n',
    [storable],
  )
  const differences = storable.filter((text, n) => fold(text) !== rows[n]?.folded)
  // Versions of Unicode differ in rare letters, so only a text of common ones must be the same.
  expect(
    differences.filter((text) =>
      /^[ -\u024f\u0370-\u03ff\u05b8\u05d0\u0640\u0645\u064e\u200b\u2010-\u2027\u2212\u3040-\u30ff\uff00-\uffef\uac00-\ud7af\u4e00-\u9fff]*$/.test(
        text,
      ),
    ),
  ).toEqual([])
})
