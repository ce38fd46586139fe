import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { expect, vi } from 'vitest'
import { cutEntry, listEntries, readBytes, readText } from '#rules/archive/zip.ts'
import type { Service } from './app.ts'
import type { Person } from './people.ts'
import { randomIpAddress } from './public-requests.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Start an export and wait until its archive is ready. Return its id. */
export async function createExport(
  { client }: Person,
  contents: 'all' | 'restorable' = 'all',
): Promise<string> {
  const { id } = await client.accounts.exports.create({ contents })
  const expectReady = async () =>
    expect((await client.accounts.exports.get({ export_id: id })).status).toBe('ready')
  await vi.waitFor(expectReady, { timeout: 120_000 })
  return id
}

/** Download the archive of an export with a link. */
export async function downloadExport(service: Service, { client }: Person, exportId: string): Promise<Bytes> {
  const { url } = await client.accounts.exports.createLink({ export_id: exportId })
  const response = await openLink(service, url)
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

/** Open a download link, without a sign-in. */
export function openLink(service: Service, url: string): Promise<Response> {
  const headers = { 'cf-connecting-ip': randomIpAddress() }
  return (service.fetch ?? fetch)(
    new Request(url.replace(service.settings.PUBLIC_BASE_URL ?? '', service.api), { headers }),
  )
}

/** Download an archive whose last part is lost, over HTTP, and return why the transfer ended. */
export async function downloadWithoutLastPart(service: Service, person: Person): Promise<unknown> {
  const id = await createExport(person)
  await service.sql(
    `insert into account_export_parts (account_id, export_id, number, object_key, bytes, directory)
     select account_id, export_id, 1 + max(number), 'exports/lost', 1, '' from account_export_parts where export_id = $1 group by 1, 2`,
    [id],
  )
  const { url } = await person.client.accounts.exports.createLink({ export_id: id })
  const readAll = async () => (await openLink({ ...service, fetch }, url)).arrayBuffer()
  return readAll().catch((error: unknown) => error)
}

/** Return the names and texts of an archive's files. */
export async function readArchive(bytes: Bytes): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of listEntries(bytes)) files[entry.name] = await readText(bytes, entry)
  return files
}

/**
 * Verify an archive as its page says: the signature of the manifest, then the files of checksums by the manifest,
 * then each file. Throw if one is changed or not covered.
 */
export async function verifyArchive({ api }: Pick<Service, 'api'>, archive: Bytes): Promise<void> {
  const limits = { entries: 2000, entryBytes: 2 ** 26, totalBytes: 2 ** 26 }
  const files = new Map<string, Bytes>()
  for (const entry of listEntries(archive))
    files.set(entry.name, await readBytes(cutEntry(archive, entry), limits))
  const read = (name: string) => Buffer.from(files.get(name) ?? [])
  const hash = (name: string) => createHash('sha256').update(read(name)).digest('hex')
  const manifest = JSON.parse(read('manifest.json').toString())
  const { keys } = (await (await fetch(`${api}/.well-known/jwks.json`)).json()) as { keys: JsonWebKey[] }
  const key = keys.find(({ kid }) => kid === manifest.key_id) as JsonWebKey
  const publicKey = createPublicKey({ key, format: 'jwk' })
  expect(verify(null, read('manifest.json'), publicKey, read('manifest.json.sig'))).toBe(true)
  const covered = ['manifest.json', 'manifest.json.sig']
  for (const [index, expected] of manifest.checksums.entries()) {
    const name = `checksums/${index + 1}.txt`
    expect([name, hash(name)]).toEqual([name, expected])
    const lines = read(name).toString().trimEnd().split('\n')
    for (const line of lines) expect(line).toBe(`${hash(line.slice(66))}  ${line.slice(66)}`)
    covered.push(name, ...lines.map((line) => line.slice(66)))
  }
  expect([...files.keys()].sort()).toEqual(covered.sort())
}

/** Return the records of a kind. */
export function readRecords(files: Record<string, string>, kind: string): Record<string, unknown>[] {
  const names = Object.keys(files).filter(
    (name) => name === `${kind}.jsonl` || name.match(`^${kind}-\\d+\\.jsonl$`),
  )
  return names.flatMap((name) => (files[name] ?? '').trimEnd().split('\n')).map((line) => JSON.parse(line))
}

export const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
// Who wrote a record, and counters, are not restored.
const notCompared = ['usage_count', 'import_metadata', 'slug', 'version', 'saved_by']

/**
 * Return the records of the kinds that an import restores, without ids and times. Exports of equal contents
 * return equal values.
 */
export function toComparable(files: Record<string, string>) {
  const kinds = [
    'categories',
    'script_categories',
    'scripts',
    'device_types',
    'diagrams',
    'target_lists',
    'flows',
    'flow_versions',
  ]
  const kindsByName = [...kinds, 'teams', 'library_steps'].map((kind) => {
    const records = readRecords(files, kind).map(({ id: _, ...record }) => record)
    const texts = records.map((record) =>
      JSON.stringify(record, (key, value) =>
        key.endsWith('_at') || notCompared.includes(key) ? undefined : value,
      ).replace(idPattern, 'id'),
    )
    return [kind, texts.sort()]
  })
  const [account] = readRecords(files, 'account')
  const { timezone, settings, preferences, brand_colour, session_days } = account ?? {}
  return {
    ...Object.fromEntries(kindsByName),
    account: { timezone, settings, preferences, brand_colour, session_days },
  }
}
