import { expect, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { exportSession, textFormats } from '#test/support/exports.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'

const service = await sharedService()

const form = [
  { key: 'zone', label: 'Zone', type: 'text' },
  { key: 'api_key', label: 'API key', type: 'text' },
  { key: 'asset', label: 'Asset', type: 'text' },
]
const variables = { asset: 'PRN-2F-03', api_key: '9f8e7d6c5b4a', zone: 'North', other: 'x' }

it.each(textFormats)(
  'SES-40 masks labelled secrets of intake fields and snippets in a masked export as %s',
  async (format) => {
    const { admin } = await createAccount(service)
    const { id } = await createSession(admin, { variables }, { intake_form: form })
    await admin.call('POST', `/sessions/${id}/supporting-data`, {
      kind: 'text',
      title: 'Initial password',
      content: 'sunflower',
    })
    await admin.call('PATCH', `/sessions/${id}`, { notes: 'Temporary password: Winter2026!' })
    const { text } = await exportSession(admin, id, `?format=${format}&mask=true`)
    expect(text).toContain('PRN-2F-03'.replaceAll('-', text.includes('PRN\\-') ? '\\-' : '-'))
    expect(text).not.toMatch(/9f8e7d6c5b4a|sunflower|Winter2026/)
  },
)

it('SES-19 exports the details in the order of the intake form', async () => {
  const { admin } = await createAccount(service)
  const { id } = await createSession(admin, { variables }, { intake_form: form })
  const { text } = await exportSession(admin, id, '?format=ticket-note')
  expect(text).toContain('Details:\nZone: North\nAPI key: 9f8e7d6c5b4a\nAsset: PRN-2F-03\nother: x')
})
