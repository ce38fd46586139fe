import { inflateSync } from 'node:zlib'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { openBrowser } from '#test/support/browser.ts'
import { createAnsweredSession, exportPdf, exportSession } from '#test/support/exports.ts'
import { createImage, uploadImage } from '#test/support/images.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const maliciousText = `<script>window.hit=1</script><img src=x onerror=window.hit=1>"'&<b>bold</b> [a](javascript:window.hit=1) </pre></style>`

/** Return the decompressed content streams of a PDF. */
const extractStreams = (file: string) =>
  Array.from(file.matchAll(/FlateDecode\/Length \d+>>\nstream\n([\s\S]*?)\nendstream/g), ([, packed = '']) =>
    inflateSync(Buffer.from(packed, 'latin1')).toString('latin1'),
  ).join('\n')

const extractPages = async (bytes: Uint8Array) =>
  (await extractText(await getDocumentProxy(bytes), { mergePages: false })).text

describe('an export', () => {
  it('SES-35 exports an HTML page that shows typed markup as text and runs none of it', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, [maliciousText, `\`\`\`\n${maliciousText}\n\`\`\``], {
      client_name: maliciousText.slice(0, 200),
      variables: { printer_ip: '10.0.8.21', [maliciousText.slice(0, 90)]: maliciousText },
    })
    await admin.client.sessions.update({ session_id: id, notes: maliciousText, next_steps: maliciousText })
    for (const kind of ['text', 'screenshot'])
      await admin.call('POST', `/sessions/${id}/supporting-data`, {
        kind,
        title: maliciousText,
        content: maliciousText,
      })
    const { text, headers } = await exportSession(admin, id, '?format=html')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).not.toMatch(/<script|<img|<b>|onerror=[^&]*>|href="javascript/)
    // Nothing may run without the content security policy either.
    const browser = await openBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    await page.setContent(text.replace(/<meta http-equiv[^>]*>/, ''))
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(
      ((await page.evaluate('document.body.innerText')) as string).split('<script>window.hit=1</script>')
        .length,
    ).toBeGreaterThan(8)
    expect(await page.evaluate('document.querySelectorAll("script, img, iframe, b, a").length')).toBe(0)
  })

  it('SES-24 exports a PDF with the team’s name, colour, logo and footer on numbered pages', async () => {
    const { admin, teamId } = await createAccount(service)
    const logo_upload_id = (await uploadImage(service, admin, await createImage('png', 300, 100))).body.id
    const branding = {
      company_name: 'Northwind IT',
      primary_colour: '#b4232a',
      footer_text: '12 Harbour Street',
      logo_upload_id,
    }
    await admin.client.accounts.teams.updateBranding({ team_id: teamId, ...branding })
    const id = await createAnsweredSession(admin, [
      'one',
      'two',
      'three',
      'four',
      'five',
      'six',
      'seven',
      'eight',
    ])
    const bytes = await exportPdf(service, admin, id, '?format=pdf')
    const file = Buffer.from(bytes).toString('latin1')
    expect(file).toMatch(
      /\/Subtype\/Image\/Width 300\/Height 100\/ColorSpace\/DeviceRGB\/BitsPerComponent 8\/Filter\/DCTDecode/,
    )
    expect(extractStreams(file)).toContain(
      `${[0xb4, 0x23, 0x2a].map((part) => Math.round((part / 255) * 100) / 100).join(' ')} rg`,
    )
    const pages = await extractPages(bytes)
    expect(pages.length).toBeGreaterThan(1)
    for (const [n, text] of pages.entries())
      for (const expected of ['Northwind IT', '12 Harbour Street', `Page ${n + 1} of ${pages.length}`])
        expect(text).toContain(expected)
    expect((await admin.client.sessions.get({ session_id: id })).exported_at).not.toBeNull()
  })

  it('SES-20 SES-22 SES-23 exports a PDF with supporting data that is masked and ends at max_step_index', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, ['first 10.9.8.7', 'second vik@contoso.com', 'third'])
    await admin.client.sessions.notes.addSupportingData({
      session_id: id,
      kind: 'text',
      title: 'Output',
      content: 'from 10.9.8.7',
    })
    const unmasked = (await extractPages(await exportPdf(service, admin, id, '?format=pdf&mask=false'))).join(
      ' ',
    )
    for (const expected of ['first 10.9.8.7', 'second vik@contoso.com', 'third', 'Output', 'Test account'])
      expect(unmasked).toContain(expected)
    const bytes = await exportPdf(service, admin, id, '?format=pdf&mask=true&max_step_index=1')
    const text = (await extractPages(bytes)).join(' ')
    for (const expected of ['first [masked IP]', 'second [masked email]', 'from [masked IP]'])
      expect(text).toContain(expected)
    for (const hidden of ['10.9.8.7', 'vik', 'third', '10.0.8.21'])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false])
  })

  it('exports a hundred steps in many writing systems', async () => {
    const { admin } = await createAccount(service)
    const notes = Array.from(
      { length: 100 },
      (_, n) => `${n} Принтер 打印机 プリンター 프린터 الطابعة המדפסת ${'word '.repeat(20)}`,
    )
    const id = await createAnsweredSession(admin, notes)
    const pages = await extractPages(await exportPdf(service, admin, id, '?format=pdf'))
    expect(pages.join(' ')).toContain('100. Title 99.')
    for (const format of ['markdown', 'text', 'html', 'ticket-note'])
      expect((await exportSession(admin, id, `?format=${format}`)).text).toContain('99 Принтер 打印机')
  })
})
