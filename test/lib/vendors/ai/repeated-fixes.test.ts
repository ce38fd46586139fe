import { describe, expect, it } from 'vitest'
import { measureSimilarity } from '#rules/text/words.ts'
import { isRepeatedFix } from '#vendors/ai/repeated-fixes.ts'

const repeats = (title: string, tried: string) =>
  isRepeatedFix({ title, description: '' }, title, { titles: [tried], steps: [] })

describe('isRepeatedFix', () => {
  it.each([
    ['Restart the print spooler', 'restart the Print-Spooler!'],
    ['Restart the print spooler service', 'Restart the print spooler'],
    ['Druckerwarteschlange löschen', 'Druckerwarteschlange loschen'],
    ['印刷スプーラーを再起動する', '印刷スプーラーを再起動する'],
  ])('recognises “%s” as “%s”', (title, tried) => {
    expect(repeats(title, tried)).toBe(true)
  })

  it.each([
    ['Restart the print server', 'Restart the print spooler'],
    ['Reinstall the driver of PRN-2F-04', 'Reinstall the driver of PRN-2F-03'],
    ['Roll back to version 23.1', 'Roll back to version 23.2'],
    ['Replace the cable', 'Replace the driver'],
  ])('accepts “%s” after “%s”', (title, tried) => {
    expect(repeats(title, tried)).toBe(false)
  })
})

it('measureSimilarity is what pg_trgm calculates', () => {
  // select similarity('Restart the spooler', 'Restart the print spooler')
  expect(measureSimilarity('Restart the spooler', 'Restart the print spooler')).toBeCloseTo(0.769231)
  expect(measureSimilarity('', 'x')).toBe(0)
})
