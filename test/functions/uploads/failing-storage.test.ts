import { expect, it, onTestFinished, vi } from 'vitest'
import { insertAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { copyBytes, createImage, uploadImage } from '#test/support/images.ts'
import { createAccount } from '#test/support/people.ts'
import { createSession } from '#test/support/sessions.ts'
import type { UploadsPort } from '#vendors/uploads/uploads.ts'

const service = await sharedService()
const png = await createImage('png', 30, 20)
const failure = { detail: 'A provider failed; try again' }

/** Replace a function of the object storage and of the decoder until the test ends. */
function replace<Name extends 'put' | 'get' | 'toJpeg'>(name: Name, replacement: UploadsPort[Name]): void {
  const uploads = service.services?.ports.uploads as UploadsPort
  const spy = vi.spyOn(uploads, name).mockImplementation(replacement as never)
  onTestFinished(() => spy.mockRestore())
}

const fail = () => Promise.reject(new Error('The object storage is away'))

it('UPL-05 stores no upload while the object storage accepts no object', async () => {
  const { admin, id } = await createAccount(service)
  replace('put', fail)
  const response = await uploadImage(service, admin, png)
  expect([response.status, response.body]).toEqual([502, failure])
  expect(await service.sql('select id from uploads where account_id = $1', [id])).toEqual([])
})

it('UPL-05 removes the object of an upload that cannot be recorded', async () => {
  const { admin } = await createAccount(service)
  const uploads = service.services?.ports.uploads as UploadsPort
  const put = uploads.put.bind(uploads)
  let storedKey = ''
  replace('put', async (key, bytes) => {
    storedKey = key
    await put(key, bytes)
    // The row of the upload then violates the primary key.
    await service.sql(
      `insert into uploads (account_id, id, object_key, content_type, width, height, size, sha256, created_by)
       values ($1, $2, $3, 'image/jpeg', 1, 1, 1, repeat('0', 64), $4)`,
      [admin.accountId, key.replace(/^.*\/|\.jpg$/g, ''), key, admin.id],
    )
  })
  expect((await uploadImage(service, admin, png)).status).toBeGreaterThanOrEqual(400)
  expect(await uploads.get(storedKey)).toBeNull()
})

it.each([
  ['fails', { ok: false, reason: 'failed' }, 502],
  ['returns something that is no image', { ok: true, jpeg: new Uint8Array(100) }, 502],
  ['returns an image that is too wide', { ok: true, jpeg: await createImage('jpeg', 1569, 10) }, 502],
  ['returns an image that is too high', { ok: true, jpeg: await createImage('jpeg', 10, 1569) }, 502],
  ['returns an image of the largest size', { ok: true, jpeg: await createImage('jpeg', 1568, 1568) }, 201],
] as const)('UPL-05 checks the result of a decoder that %s', async (_, result, status) => {
  const { admin, id } = await createAccount(service)
  replace('toJpeg', async () => ('jpeg' in result ? { ...result, jpeg: copyBytes(result.jpeg) } : result))
  const response = await uploadImage(service, admin, png)
  expectStatus(response, status)
  expect(await service.sql('select id from uploads where account_id = $1', [id])).toHaveLength(
    status === 201 ? 1 : 0,
  )
})

it('answers 502 when an image, or the logo or a screenshot of a document, cannot be read', async () => {
  const { admin, teamId } = await createAccount(service)
  const { id } = expectStatus(await uploadImage(service, admin, png), 201).body
  const session = await createSession(admin)
  expectStatus(
    await admin.call('POST', `/sessions/${session.id}/supporting-data`, {
      kind: 'screenshot',
      title: 'Error',
      upload_id: id,
    }),
    201,
  )
  expectStatus(await admin.call('PUT', `/teams/${teamId}/branding`, { logo_upload_id: id }), 200)
  const paths = [
    `/uploads/${id}`,
    `/sessions/${session.id}/export?format=html`,
    `/sessions/${session.id}/export?format=pdf`,
    `/reports/weekly?team_id=${teamId}&format=pdf`,
  ]
  for (const path of paths) expectStatus(await admin.call('GET', path), 200)
  replace('get', fail)
  for (const path of paths) {
    const { status, body } = await admin.call('GET', path)
    expect([path, status, body]).toEqual([path, 502, failure])
  }
})

it('AIS-11 answers 503 to a message whose image cannot be read, and stores no message', async () => {
  const { admin } = await createAccount(service)
  const sessionId = await insertAiSession(service, admin)
  const { id } = expectStatus(await uploadImage(service, admin, png), 201).body
  replace('get', fail)
  const { status, headers } = await admin.call('POST', `/ai-sessions/${sessionId}/chat`, {
    message: 'See this.',
    upload_ids: [id],
  })
  expect([status, headers.get('retry-after')]).toEqual([503, '5'])
  expect((await admin.client.ai.sessions.get({ session_id: sessionId })).messages).toEqual([])
})
