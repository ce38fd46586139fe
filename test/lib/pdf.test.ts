import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { pdfOf } from '../../lib/exports/pdf.ts'
import type { Report } from '../../lib/exports/report.ts'
import { reportWith } from '../support/reports.ts'

async function readAsset(path: string): Promise<ArrayBuffer> {
  const bytes = await readFile(join(import.meta.dirname, '../../dist/assets', path))
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
}
const branding = { company: 'Northwind IT', colour: '#b4232a', footer: 'Harbour Street 12', logo: null }

/** What a reader takes out of the document, page by page. */
async function textOf(report: Report, look = branding): Promise<string[]> {
  const document = await getDocumentProxy(await pdfOf(report, look, readAsset))
  return (await extractText(document, { mergePages: false })).text
}

// A reader leaves out what only keeps letters from joining.
const flat = (text: string) => text.normalize('NFC').replace(/[\s\u200c]+/g, '')

const scripts: Record<string, string> = {
  Latin: 'Ærøskøbing naïve façade Łódź œuvre Tiếng Việt ước',
  Greek: 'Ο εκτυπωτής είναι εκτός σύνδεσης, ᾠδή',
  Cyrillic: 'Принтер не в сети с 09:30, ґава Їжак',
  Arabic: 'الطابعة غير متصلة منذ الساعة 10:30 ولا تعمل (الطابق 2).',
  'Arabic with vowel marks': 'كِتَابٌ جَدِيدٌ عَلَى الطَّاوِلَةِ، شُكْرًا جَزِيلًا.',
  'Hebrew with points': 'שָׁלוֹם לְכֻלָּם, בְּרֵאשִׁית.',
  Persian: 'چاپگر در دسترس نیست، گزارش پژوهش می\u200cشود',
  Urdu: 'پرنٹر بند ہے اور کام نہیں کر رہا',
  Hebrew: 'המדפסת אינה מחוברת מאז 10:30, קומה 2 (PRN-2F-03).',
  'Han, simplified': '打印机离线，版本 2.3.1 已重启。',
  'Han, traditional': '網路連線中斷，請重新開機。',
  Kana: 'プリンターを再起動しました。ひらがなとカタカナ。',
  Hangul: '프린터가 오프라인입니다. 네트워크를 확인하세요.',
  'More than one': 'They said "שלום עולם" and مرحبا بالعالم at 10:30, v2.0',
}

describe('a PDF', () => {
  it.each(Object.entries(scripts))('gives back %s as it was written', async (_, text) => {
    const [page = ''] = await textOf(reportWith({ notes: text, title: text }))
    expect(flat(page).split(flat(text))).toHaveLength(3)
  })

  it('keeps the lines of a fact and of a note', async () => {
    const fact = { label: 'Target', value: 'fact begins\r\nfact ends' }
    const [page = ''] = await textOf(reportWith({ facts: [fact], notes: 'note begins\nnote ends' }))
    expect(page).toMatch(/fact begins\s*\n\s*fact ends/)
    expect(page).toMatch(/note begins\s*\n\s*note ends/)
  })

  it('marks only what no font has', async () => {
    const [page = ''] = await textOf(reportWith({ notes: 'a\u{1f9ff}b \u{10ffff} ᠠ ✓ → ☎ x' }))
    expect(flat(page)).toContain('a□b□□✓→☎x')
  })

  it('keeps every word of a long note, word and code block, over as many pages as it takes', async () => {
    const words = Array.from({ length: 3300 }, (_, n) => `w${n}`).join(' ')
    const code = `${'x'.repeat(3000)}\n  indented ${'y '.repeat(400)}`
    const pages = await textOf(reportWith({ notes: `${words}\n\n\`\`\`\n${code}\n\`\`\``, nextSteps: 'z'.repeat(5000) }))
    const said = flat(pages.map((page) => page.replace(/Harbour Street 12|Page \d+ of \d+|Northwind IT|Printer offline/g, '')).join(''))
    for (const whole of [words, code, 'z'.repeat(5000)]) expect(said).toContain(flat(whole))
    expect(pages.length).toBeGreaterThan(5)
    for (const [n, page] of pages.entries()) {
      expect(page).toContain(`Page ${n + 1} of ${pages.length}`)
      for (const said of ['Northwind IT', 'Harbour Street 12']) expect(page).toContain(said)
    }
  })

  it('takes any text: control characters, half pairs, marks alone, empty lines', async () => {
    const odd = [
      '\u0001\u0008',
      '\ud800',
      '\u0301',
      '',
      '\n\n',
      '\t',
      '\u202e evil',
      '\u0640',
      'ل',
      'لا',
      '\u200d',
      '()<>\\',
      ' '.repeat(500),
    ]
    for (const notes of odd) expect((await textOf(reportWith({ notes, title: notes }))).length).toBe(1)
  })

  it('joins Arabic letters by their neighbours', async () => {
    const { shapeArabic } = await import('../../lib/pdf/arabic.ts')
    const codes = (text: string) => shapeArabic(text).map(({ code }) => code.toString(16))
    expect(codes('بب')).toEqual(['fe91', 'fe90'])
    expect(codes('ببب')).toEqual(['fe91', 'fe92', 'fe90'])
    expect(codes('دب')).toEqual(['fea9', 'fe8f'])
    expect(codes('بلا')).toEqual(['fe91', 'fefc', '0'])
    expect(codes('بَب')).toEqual(['fe91', '64e', 'fe90'])
    expect(codes('ب\u200cب')).toEqual(['fe8f', '200c', 'fe8f'])
  })
})
