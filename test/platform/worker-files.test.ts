import { readFileSync, writeFileSync } from 'node:fs'
import { deflateRawSync, deflateSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { listProcesses } from '#local/processes.ts'
import { startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { buildZip, docxParts, uploadArticle } from '#test/support/knowledge.ts'
import { buildPdf } from '#test/support/pdf-files.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const large = Buffer.alloc(600_000_000, 'a')
const stream = new Uint8Array(deflateSync(deflateSync(large)))
const objects = [
  { dict: '<</Type /Pages /Kids [12 0 R]>>' },
  { dict: '<</Filter [/FlateDecode /FlateDecode]>>', stream },
  { dict: '<</Type /Page /Contents 11 0 R>>' },
]
// They are made before the service starts: a connection would end meanwhile, which nobody would notice.
const drawio = `<mxfile><diagram>${deflateRawSync(large).toString('base64')}</diagram></mxfile>`
const pdf = buildPdf({ pages: ['(a) Tj'], objects, trailer: '/Root <</Pages 10 0 R>>' })
const docx = buildZip([
  ...docxParts('').filter(({ name }) => name !== 'word/document.xml'),
  { name: 'word/document.xml', content: large, declaredSize: 1000 },
])

const service = await startOwnService({}, { platform: 'cloudflare' })
afterAll(() => service.close())

/** What a Worker has for all that it does: https://developers.cloudflare.com/workers/platform/limits/#memory */
const maxMb = 128

async function findWorkerd(): Promise<number> {
  const processes = await listProcesses()
  const worker = processes.find(({ parent, command }) => parent === process.pid && /workerd/.test(command))
  return worker?.pid ?? 0
}
const readMb = (pid: number, field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) /
  1024

const bombs: Record<string, (person: Person) => Promise<{ status: number }>> = {
  'a draw.io file': (person) =>
    person.call('POST', '/network-diagrams/import', { format: 'drawio', content: drawio }),
  'a stream of a PDF': (person) => uploadArticle(service, person, pdf, 'a.pdf'),
  'a part of a Word document that declares another size': (person) =>
    uploadArticle(service, person, docx, 'a.docx'),
}

// workerd keeps what a write to a DecompressionStream makes until it is read. /proc has the peak of memory:
// https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
it.each(Object.keys(bombs))(
  'WIR-86 a Worker decompresses little more of a file than may be read of it: %s',
  { skip: process.platform !== 'linux' },
  async (name) => {
    const { admin } = await createAccount(service)
    expectStatus(await uploadArticle(service, admin, '# Warm\n\nText', 'a.md'), 201)
    const workerd = await findWorkerd()
    writeFileSync(`/proc/${workerd}/clear_refs`, '5')
    const mbBefore = readMb(workerd, 'VmRSS')
    expect((await bombs[name]?.(admin))?.status).toBe(422)
    expect(readMb(workerd, 'VmHWM') - mbBefore).toBeLessThan(maxMb)
  },
)
