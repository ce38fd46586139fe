import { inflateSync } from 'node:zlib'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it, onTestFinished } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { shared } from '../../support/app.ts'
import { openBrowser } from '../../support/browser.ts'
import { answeredSession, exportOf } from '../../support/exports.ts'
import { picture, upload } from '../../support/images.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const evil = `<script>window.hit=1</script><img src=x onerror=window.hit=1>"'&<b>bold</b> [a](javascript:window.hit=1) </pre></style>`

async function bytesOf(person: Person, id: string, query: string): Promise<Uint8Array> {
  const answer = await fetch(`${service.api}/api/v1/sessions/${id}/export${query}`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  return new Uint8Array(await answer.arrayBuffer())
}

/** What its streams say, unpacked. */
const drawnIn = (file: string) =>
  Array.from(file.matchAll(/FlateDecode\/Length \d+>>\nstream\n([\s\S]*?)\nendstream/g), ([, packed = '']) =>
    inflateSync(Buffer.from(packed, 'latin1')).toString('latin1'),
  ).join('\n')

const pdfText = async (bytes: Uint8Array) => (await extractText(await getDocumentProxy(bytes), { mergePages: false })).text

describe('an export', () => {
  it('SES-35 is an HTML page that shows what was typed and runs none of it', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, [evil, `\`\`\`\n${evil}\n\`\`\``], {
      client_name: evil.slice(0, 200),
      variables: { printer_ip: '10.0.8.21', [evil.slice(0, 90)]: evil },
    })
    await admin.call('PATCH', `/sessions/${id}`, { notes: evil, next_steps: evil })
    for (const kind of ['text', 'screenshot'])
      await admin.call('POST', `/sessions/${id}/supporting-data`, { kind, title: evil, content: evil })
    const { text, headers } = await exportOf(admin, id, '?format=html')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).not.toMatch(/<script|<img|<b>|onerror=[^&]*>|href="javascript/)
    // Also where no policy holds.
    const browser = await openBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.setContent(text.replace(/<meta http-equiv[^>]*>/, ''))
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(((await page.evaluate('document.body.innerText')) as string).split('<script>window.hit=1</script>').length).toBeGreaterThan(8)
    expect(await page.evaluate('document.querySelectorAll("script, img, iframe, b, a").length')).toBe(0)
  })

  it('SES-24 is a PDF in the look of the team: its name, colour, logo and footer on numbered pages', async () => {
    const { admin, teamId } = await newAccount(service)
    const logo_upload_id = (await upload(service, admin, await picture('png', 300, 100))).body.id
    const look = { company_name: 'Northwind IT', primary_colour: '#b4232a', footer_text: '12 Harbour Street', logo_upload_id }
    expectStatus(await admin.call('PUT', `/teams/${teamId}/branding`, look), 200)
    const id = await answeredSession(admin, ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'])
    const bytes = await bytesOf(admin, id, '?format=pdf')
    const file = Buffer.from(bytes).toString('latin1')
    expect(file).toMatch(/\/Subtype\/Image\/Width 300\/Height 100\/ColorSpace\/DeviceRGB\/BitsPerComponent 8\/Filter\/DCTDecode/)
    expect(drawnIn(file)).toContain(`${[0xb4, 0x23, 0x2a].map((part) => Math.round((part / 255) * 100) / 100).join(' ')} rg`)
    const pages = await pdfText(bytes)
    expect(pages.length).toBeGreaterThan(1)
    for (const [n, text] of pages.entries())
      for (const said of ['Northwind IT', '12 Harbour Street', `Page ${n + 1} of ${pages.length}`]) expect(text).toContain(said)
    expect((await admin.call('GET', `/sessions/${id}`)).body.exported_at).not.toBeNull()
  })

  it('SES-20 SES-22 SES-23 cuts, masks and shows supporting data in a PDF too', async () => {
    const { admin } = await newAccount(service)
    const id = await answeredSession(admin, ['first 10.9.8.7', 'second vik@contoso.com', 'third'])
    await admin.call('POST', `/sessions/${id}/supporting-data`, { kind: 'text', title: 'Output', content: 'from 10.9.8.7' })
    const whole = (await pdfText(await bytesOf(admin, id, '?format=pdf&mask=false'))).join(' ')
    for (const said of ['first 10.9.8.7', 'second vik@contoso.com', 'third', 'Output', 'Test account']) expect(whole).toContain(said)
    const bytes = await bytesOf(admin, id, '?format=pdf&mask=true&max_step_index=1')
    const text = (await pdfText(bytes)).join(' ')
    for (const said of ['first [masked IP]', 'second [masked email]', 'from [masked IP]']) expect(text).toContain(said)
    for (const hidden of ['10.9.8.7', 'vik', 'third', '10.0.8.21']) expect([hidden, text.includes(hidden)]).toEqual([hidden, false])
  })

  it('is a document also for a hundred steps in many scripts', async () => {
    const { admin } = await newAccount(service)
    const notes = Array.from({ length: 100 }, (_, n) => `${n} Принтер 打印机 プリンター 프린터 الطابعة המדפסת ${'word '.repeat(20)}`)
    const id = await answeredSession(admin, notes)
    const pages = await pdfText(await bytesOf(admin, id, '?format=pdf'))
    expect(pages.join(' ')).toContain('100. Title 99.')
    for (const format of ['markdown', 'text', 'html', 'ticket-note'])
      expect((await exportOf(admin, id, `?format=${format}`)).text).toContain('99 Принтер 打印机')
  }, 60_000)
})
