import { join } from 'node:path'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { renderPdf } from '#rules/exports/pdf.ts'
import { parseBrandColour } from '#rules/exports/pdf-frame.ts'
import type { Report } from '#rules/exports/report.ts'
import { getContrastWithWhite } from '#rules/text/colour.ts'
import { createReport } from '#test/support/report.ts'

const assets = folderAssets(join(root, 'dist/assets'))
const branding = { company: 'Northwind IT', colour: '#b4232a', footer: 'Harbour Street 12', logo: null }

/** Return the text that a PDF reader extracts from each page. */
async function extractPages(report: Report): Promise<string[]> {
  const document = await getDocumentProxy(
    await runWithin(createBudget({ steps: jobSteps }), () =>
      renderPdf(report, { branding, images: new Map(), assets }),
    ),
  )
  return (await extractText(document, { mergePages: false })).text
}

// PDF readers drop zero-width non-joiners.
const removeSpaces = (text: string) => text.normalize('NFC').replace(/[\s\u200c]+/g, '')

const textByScript: Record<string, string> = {
  Latin: 'Ærøskøbing naïve façade Łódź œuvre Tiếng Việt ước',
  Greek: 'Ο εκτυπωτής είναι εκτός σύνδεσης, ᾠδή',
  Cyrillic: 'Принтер не в сети с 09:30, ґава Їжак',
  Arabic: 'الطابعة غير متصلة منذ الساعة 10:30 ولا تعمل (الطابق 2).',
  'Arabic with vowel marks': 'كِتَابٌ جَدِيدٌ عَلَى الطَّاوِلَةِ، شُكْرًا جَزِيلًا.',
  'Hebrew with points': 'שָׁלוֹם לְכֻלָּם, בְּרֵאשִׁית.',
  Persian: 'چاپگر در دسترس نیست، گزارش پژوهش می\u200cشود',
  Urdu: 'پرنٹر بند ہے اور کام نہیں کر رہا',
  Hebrew: 'המדפסת אינה מחוברת מאז 10:30, קומה 2 (PRN-2F-03).',
  Thai: 'เครื่องพิมพ์ออฟไลน์ กรุณาตรวจสอบน้ำ',
  Lao: 'ເຄື່ອງພິມອອບລາຍ',
  Khmer: 'ម៉ាស៊ីនបោះពុម្ពគ្មានអ៊ីនធឺណិត',
  Burmese: 'ပရင်တာ အော့ဖ်လိုင်း ဖြစ်နေသည်',
  Hindi: 'प्रिंटर ऑफ़लाइन है, कृपया स्थिति जाँचें। क्षत्रिय',
  Bengali: 'প্রিন্টার বন্ধ আছে, কোনো সংযোগ নেই।',
  Tamil: 'அச்சுப்பொறி கொண்டு வந்தது',
  Telugu: 'ప్రింటర్ ఆఫ్‌లైన్‌లో ఉంది',
  Kannada: 'ಮುದ್ರಕವು ಆಫ್‌ಲೈನ್ ಆಗಿದೆ',
  Malayalam: 'പ്രിന്റർ ഓഫ്‌ലൈനാണ്',
  Gujarati: 'પ્રિન્ટર ઑફલાઇન છે',
  Punjabi: 'ਪ੍ਰਿੰਟਰ ਬੰਦ ਹੈ',
  Sinhala: 'මුද්‍රණ යන්ත්‍රය',
  Emoji: '🔥 🖨 ✅ 😀',
  'Han, simplified': '打印机离线，版本 2.3.1 已重启。',
  'Han, traditional': '網路連線中斷，請重新開機。',
  Kana: 'プリンターを再起動しました。ひらがなとカタカナ。',
  Hangul: '프린터가 오프라인입니다. 네트워크를 확인하세요.',
  'Several scripts': 'They said "שלום עולם" and مرحبا بالعالم at 10:30, v2.0',
}

describe('renderPdf', () => {
  it.each(Object.entries(textByScript))(
    'SES-52 writes %s text that a reader extracts unchanged',
    async (_, text) => {
      const [page = ''] = await extractPages(createReport({ notes: text, title: text }))
      expect(removeSpaces(page).split(removeSpaces(text))).toHaveLength(3)
    },
  )

  it('SES-51 writes tables, lists, quotes and emphasis', async () => {
    const description =
      '| Port | State |\n|---|---|\n| **Gi0/1** | up |\n\n- [x] done\n  - *nested*\n\n> quoted\n\n---'
    const [page = ''] = await extractPages(createReport({ description }))
    for (const text of ['Port', 'Gi0/1', '☑ done', '• nested', 'quoted'])
      expect(page.replace(/\s+/g, ' ')).toContain(text)
    expect(page).not.toMatch(/[*|>]|---|\[x\]/)
  })

  it('SES-24 darkens a light brand colour until it can be read on white', () => {
    for (const colour of ['#ffe066', '#ffffff', '#00ff00', '#b4232a']) {
      const [red = 0, green = 0, blue = 0] = parseBrandColour(colour).split(' ').map(Number)
      expect(getContrastWithWhite([red, green, blue])).toBeGreaterThanOrEqual(4.5)
    }
    expect(parseBrandColour('#b4232a')).toBe('0.71 0.14 0.16')
  })

  it('SES-24 shows the whole name of a company on each page', async () => {
    const company = `${'Northwind International Services '.repeat(6)}GmbH`.slice(0, 200)
    const document = await getDocumentProxy(
      await runWithin(createBudget({ steps: jobSteps }), () =>
        renderPdf(createReport({ notes: 'x\n'.repeat(90) }), {
          branding: { ...branding, company },
          images: new Map(),
          assets,
        }),
      ),
    )
    const { text } = await extractText(document, { mergePages: false })
    for (const page of text) expect(page.replace(/\s+/g, ' ')).toContain(company)
  })

  it('keeps the line breaks of a fact and of a note', async () => {
    const fact = { label: 'Target', value: 'fact line 1\r\nfact line 2' }
    const [page = ''] = await extractPages(createReport({ facts: [fact], notes: 'note line 1\nnote line 2' }))
    expect(page).toMatch(/fact line 1\s*\n\s*fact line 2/)
    expect(page).toMatch(/note line 1\s*\n\s*note line 2/)
  })

  it('shows a square only for a character that no font has', async () => {
    const [page = ''] = await extractPages(createReport({ notes: 'a\u{10fffe}b \u{10ffff} ᠠ ✓ → ☎ x' }))
    expect(removeSpaces(page)).toContain('a□b□□✓→☎x')
  })

  it('keeps every word of a long note, a long word and a long code block on several pages', async () => {
    const words = Array.from({ length: 3300 }, (_, n) => `w${n}`).join(' ')
    const code = `${'x'.repeat(3000)}\n  indented ${'y '.repeat(400)}`
    const pages = await extractPages(
      createReport({ notes: `${words}\n\n\`\`\`\n${code}\n\`\`\``, nextSteps: 'z'.repeat(5000) }),
    )
    const content = removeSpaces(
      pages
        .map((page) => page.replace(/Harbour Street 12|Page \d+ of \d+|Northwind IT|Printer offline/g, ''))
        .join(''),
    )
    for (const text of [words, code, 'z'.repeat(5000)]) expect(content).toContain(removeSpaces(text))
    expect(pages.length).toBeGreaterThan(5)
    for (const [index, page] of pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`)
      for (const text of ['Northwind IT', 'Harbour Street 12']) expect(page).toContain(text)
    }
  })

  it('renders any text on one page: control characters, lone surrogates, lone marks, empty lines', async () => {
    const unusualTexts = [
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
    for (const notes of unusualTexts)
      expect((await extractPages(createReport({ notes, title: notes }))).length).toBe(1)
  })
})
