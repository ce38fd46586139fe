import { describe, expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createAnsweredSession, exportSession, insertAnswers, textFormats } from '#test/support/exports.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const noteText = (n: number) => `note-number-${n}-ends`
const threeNotes = [noteText(0), noteText(1), noteText(2)]

describe('exporting a session', () => {
  it('SES-19 exports a session as a markdown, text, HTML or ticket note file', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, threeNotes)
    await service.sql('update session_decisions set duration_seconds = 75 where session_id = $1', [id])
    const types = ['text/markdown', 'text/plain', 'text/html', 'text/plain']
    for (const [index, format] of textFormats.entries()) {
      const { status, headers, text } = await exportSession(admin, id, `?format=${format}`)
      expect([status, headers.get('content-type')]).toEqual([200, `${types[index]}; charset=utf-8`])
      expect(headers.get('content-disposition')).toMatch(
        /filename\*=UTF-8''printer-offline-[a-z0-9-]+t-48213(?:-note)?\.(?:md|txt|html)$/,
      )
      for (const expected of [
        'Contoso Dental',
        'T-48213',
        'Resolved',
        admin.fullName,
        'Title 1.',
        '1 min 15 s',
        noteText(2),
        'All well.',
        'Call back.',
      ])
        expect([format, text.replaceAll('\\', '')]).toEqual([format, expect.stringContaining(expected)])
    }
  })

  it('SES-20 SES-36 exports the steps up to and including max_step_index, which counts from 0', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, threeNotes)
    await admin.client.sessions.notes.addSupportingData({
      session_id: id,
      kind: 'text',
      title: 'Of the last',
      content: 'snippet-of-last',
      step_id: 's2',
    })
    for (const format of textFormats) {
      for (const maxIndex of [0, 1, 2, 9]) {
        const { text } = await exportSession(admin, id, `?format=${format}&max_step_index=${maxIndex}`)
        expect([format, maxIndex, ...threeNotes.map((note) => text.includes(note))]).toEqual([
          format,
          maxIndex,
          true,
          maxIndex >= 1,
          maxIndex >= 2,
        ])
        expect([format, maxIndex, text.includes('snippet-of-last')]).toEqual([
          format,
          maxIndex,
          maxIndex >= 2,
        ])
      }
    }
    for (const invalid of ['-1', '1.5', 'x', '', '1e99', '0x1'])
      expect([invalid, (await exportSession(admin, id, `?max_step_index=${invalid}`)).status]).toEqual([
        invalid,
        422,
      ])
  })

  it('SES-21 stores the time of the first export of a completed session, and none for a session in progress', async () => {
    const { admin } = await createAccount(service)
    const readExportedAt = async (id: string) =>
      (await admin.client.sessions.get({ session_id: id })).exported_at
    const inProgressId = await createAnsweredSession(admin, threeNotes, {}, false)
    await exportSession(admin, inProgressId)
    expect(await readExportedAt(inProgressId)).toBeNull()
    const completedId = await createAnsweredSession(admin, threeNotes)
    expect(await readExportedAt(completedId)).toBeNull()
    await exportSession(admin, completedId, '?max_step_index=-1')
    expect(await readExportedAt(completedId)).toBeNull()
    await exportSession(admin, completedId)
    const first = await readExportedAt(completedId)
    expect(first).toMatch(/Z$/)
    await exportSession(admin, completedId, '?format=html')
    expect(await readExportedAt(completedId)).toBe(first)
  })

  it('SES-21 keeps the time of the first export when 32 exports run concurrently', async () => {
    const { admin, addColleague } = await createAccount(service)
    const people = [admin, await addColleague({ role: 'viewer' })]
    const id = await createAnsweredSession(admin, threeNotes)
    const readExportedAt = async () => (await admin.client.sessions.get({ session_id: id })).exported_at
    const exports = Array.from({ length: 32 }, (_, n) =>
      exportSession(people[n % 2] as Person, id, '?format=text'),
    )
    await Promise.race(exports)
    const first = await readExportedAt()
    expect((await Promise.all(exports)).map(({ status }) => status)).toEqual(Array(32).fill(200))
    expect([first, await readExportedAt()]).toEqual([expect.stringMatching(/Z$/), first])
  })

  it('marks a session as exported when a viewer exports it, and returns 404 to another account', async () => {
    const { admin, addColleague } = await createAccount(service)
    const id = await createAnsweredSession(admin, threeNotes)
    const stranger = (await createAccount(service)).admin
    expectStatus(await exportSession(stranger, id), 404)
    expect((await admin.client.sessions.get({ session_id: id })).exported_at).toBeNull()
    expectStatus(await exportSession(await addColleague({ role: 'viewer' }), id), 200)
    expect((await admin.client.sessions.get({ session_id: id })).exported_at).not.toBeNull()
  })

  it('SES-22 masks IP addresses, e-mail addresses, tokens and paths in every format and field', async () => {
    const { admin } = await createAccount(service)
    const secrets = ['10.9.8.7', 'fe80::77', 'vik@contoso.com', '\\\\fs77\\pay', `ghp_${'a1B2'.repeat(9)}`]
    const text = secrets.join(' ; ')
    const fields = {
      ticket_number: `T ${secrets[0]}`,
      client_name: text,
      variables: { printer_ip: '10.9.8.7', other: text },
    }
    const id = await createAnsweredSession(admin, [text, `\`\`\`\n${text}\n\`\`\``], fields)
    await admin.client.sessions.update({ session_id: id, notes: text, next_steps: text })
    await admin.client.sessions.notes.addSupportingData({
      session_id: id,
      kind: 'text',
      title: text,
      content: text,
    })
    await admin.client.sessions.notes.addSupportingData({
      session_id: id,
      kind: 'screenshot',
      title: text,
      content: text,
      step_id: 's0',
    })
    await admin.client.accounts.updatePreferences({ mask_exports: true })
    for (const format of textFormats) {
      for (const query of [`?format=${format}&mask=true`, `?format=${format}`]) {
        const { text: document, headers } = await exportSession(admin, id, query)
        const output = `${document} ${headers.get('content-disposition')}`.replaceAll('\\', '')
        for (const secret of ['10.9.8.7', '10-9-8-7', 'fe80', 'vik', 'fs77', 'ghp'])
          expect([query, secret, output.includes(secret)]).toEqual([query, secret, false])
        expect(document).toContain('Title 1.')
      }
      const unmasked = await exportSession(admin, id, `?format=${format}&mask=false`)
      expect(unmasked.text.replaceAll('\\', '')).toContain('vik@contoso.com')
    }
  })

  it('SES-23 exports supporting texts, and placeholders for screenshots', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, threeNotes)
    const addSupportingData = (item: object) => admin.call('POST', `/sessions/${id}/supporting-data`, item)
    await addSupportingData({
      kind: 'text',
      title: 'Output of ping',
      content: '0 received\n  of 4',
      step_id: 's1',
    })
    await addSupportingData({ kind: 'screenshot', title: 'The panel', content: 'Shows E-12' })
    for (const format of textFormats) {
      const { text } = await exportSession(admin, id, `?format=${format}`)
      for (const expected of ['Output of ping', '0 received', '  of 4', 'The panel', 'Screenshot', 'E-12'])
        expect([format, text]).toEqual([format, expect.stringContaining(expected)])
    }
  })

  it(
    'SES-58 leaves out of a masked export what takes too much work, with a mark, and shows nothing unmasked',
    night,
    async () => {
      const { admin } = await createAccount(service)
      const id = await createAnsweredSession(admin, threeNotes)
      await insertAnswers(service, admin, id, Array(305).fill('password: Sommer!9x '.repeat(1000)))
      for (const format of textFormats) {
        const { status, text } = await exportSession(admin, id, `?format=${format}&mask=true`)
        expect([
          format,
          status,
          text.includes('Sommer'),
          text.includes('shortened: the report is too large'),
        ]).toEqual([format, 200, false, true])
        expect(text.length).toBeLessThan(8 * 1024 * 1024)
      }
      expectStatus(await exportSession(admin, id, '?format=pdf&mask=true'), 200)
      expectStatus(await exportSession(admin, id, '?format=text&mask=false'), 200)
    },
  )

  it('exports in the format of the caller’s preferences by default', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, threeNotes)
    expect((await exportSession(admin, id)).headers.get('content-type')).toMatch('text/markdown')
    await admin.client.accounts.updatePreferences({ default_export_format: 'html' })
    expect((await exportSession(admin, id)).headers.get('content-type')).toMatch('text/html')
    expectStatus(await exportSession(admin, id, '?format=docx'), 422)
    expectStatus(await exportSession(admin, id, '?mask=perhaps'), 422)
  })

  it('exports times in the caller’s time zone', async () => {
    const { admin } = await createAccount(service)
    const id = await createAnsweredSession(admin, threeNotes)
    await service.sql(
      `update sessions set started_at = '2026-03-29T00:59:00Z', completed_at = '2026-03-29T01:01:00Z' where id = $1`,
      [id],
    )
    await service.sql(`update users set timezone = 'Europe/Berlin' where id = $1`, [admin.id])
    const { text } = await exportSession(admin, id, '?format=text')
    expect(text).toMatch(
      /Started: +29 Mar 2026, 01:59\nCompleted: +29 Mar 2026, 03:01\nTime taken: +2 min\nTime zone: +Europe\/Berlin/,
    )
  })
})
