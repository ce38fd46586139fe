import { describe, expect, it } from 'vitest'
import { openAccountScope } from '#db/scope.ts'
import { type ExportJob, writeSlice } from '#functions/accounts/export-files/service.ts'
import { encodeEntry } from '#rules/archive/zip-writer.ts'
import type { ExportProgress } from '#rules/exports/account-archive.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'
import { recordSigner } from '#test/support/record-signer.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'

const maxBytes = 4 * 1024 * 1024
const sliceMs = 15_000
/** The teams that one statement reads. */
const readAtOnce = 500

const createJob = (
  stage: string,
  contents: ExportJob['contents'] = 'all',
  after: string[] | null = null,
): ExportJob => ({
  ...{ id: 'e', contents, created_at: '2026-01-01T00:00:00.000Z' },
  progress: {
    stage,
    after,
    files: 0,
    parts: 0,
    entries: 0,
    bytes: 0,
    directory_bytes: 0,
    counts: {},
    checksums: [],
  } as ExportProgress,
})
/** Return a clock that lets a slice write `count` times. */
function allowWrites(count: number): () => number {
  let calls = 0
  // The first call sets the end of the slice.
  return () => (calls++ <= count ? 0 : sliceMs)
}

describe('a file of records', () => {
  /** Write the teams of an account, whose first line has `size` bytes, in `writes` steps. */
  async function writeTeams(size: number, writes: number) {
    const line = 'x'.repeat(size)
    const { db, statements } = createStubDatabase((_, parameters) =>
      parameters.includes('last') ? [] : [{ key: ['last'], line }],
    )
    const { progress } = await writeSlice(
      { db, uploads: {} as never, recordSigner },
      createJob('teams'),
      allowWrites(writes),
    )
    return { progress, limits: statements.map(({ parameters }) => parameters.at(-1)) }
  }

  it('DAT-06 ends its kind when it has fewer than 4 MiB', async () => {
    const { progress, limits } = await writeTeams(maxBytes - 1, 1)
    expect(limits).toEqual([maxBytes])
    expect(progress).toMatchObject({ after: null, files: 0, entries: 2, counts: { teams: 1 } })
    expect(progress.stage).not.toBe('teams')
  })
  it('DAT-06 is followed by another one when it has 4 MiB', async () => {
    const { progress, limits } = await writeTeams(maxBytes, 1)
    expect(limits).toEqual([maxBytes])
    expect(progress).toMatchObject({
      stage: 'teams',
      after: ['last'],
      files: 1,
      entries: 2,
      counts: { teams: 1 },
    })
  })
  it('DAT-06 contains more records when there were as many as one statement reads', async () => {
    const first = Array.from({ length: readAtOnce }, (_, n) => ({ key: [`${n}`], line: '{}' }))
    const { db } = createStubDatabase((_, parameters) =>
      parameters.includes(first.at(-1)?.key[0]) ? [{ key: ['last'], line: '{}' }] : first,
    )
    const { progress } = await writeSlice(
      { db, uploads: {} as never, recordSigner },
      createJob('teams'),
      allowWrites(1),
    )
    expect(progress.counts).toEqual({ teams: readAtOnce + 1 })
  })
  it('DAT-06 is not written without a record', async () => {
    const { db } = createStubDatabase(() => [])
    const { content, progress } = await writeSlice(
      { db, uploads: {} as never, recordSigner },
      createJob('teams'),
      allowWrites(1),
    )
    expect([content.byteLength, progress.entries, progress.counts]).toEqual([0, 0, { teams: 0 }])
  })
})

describe('a slice', async () => {
  const ids = ['01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01', '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e02']
  /** Write two uploads, of which the first has `size` bytes. */
  async function writeUploads(size: number, now = allowWrites(1)) {
    const { db } = createStubDatabase(() => ids.map((id) => ({ id, object_key: id })))
    const get = async (key: string) => (key === ids[0] ? new Uint8Array(size) : new Uint8Array(1))
    const { progress, isLast } = await writeSlice(
      { db, uploads: { get } as never, recordSigner },
      createJob('upload_files'),
      now,
    )
    const { stage, after, entries, counts } = progress
    return { isLast, stage, after, entries, counts }
  }
  // What the archive adds to an upload that is stored as it is.
  const stored = { name: `uploads/${ids[0]}.jpg`, content: new Uint8Array(0), isStored: true }
  const overhead = (await encodeEntry(stored, 0, new Date())).bytes.byteLength

  it('DAT-06 ends when it has 4 MiB', async () => {
    expect(await writeUploads(maxBytes - overhead, allowWrites(9))).toEqual({
      ...{
        isLast: false,
        stage: 'upload_files',
        after: [ids[0]],
        // The upload and the checksums.
        entries: 2,
        counts: { upload_files: 1 },
      },
    })
  })
  it('DAT-06 contains another upload when it has fewer than 4 MiB', async () => {
    expect(await writeUploads(maxBytes - overhead - 1)).toMatchObject({
      stage: 'manifest',
      entries: 3,
      counts: { upload_files: 2 },
    })
  })
  it('DAT-06 counts the uploads whose objects are missing', async () => {
    const { db } = createStubDatabase(() => ids.map((id) => ({ id, object_key: id })))
    const uploads = { get: async () => null } as never
    const { progress } = await writeSlice(
      { db, uploads, recordSigner },
      createJob('upload_files'),
      allowWrites(1),
    )
    expect(progress).toMatchObject({ entries: 0, counts: { upload_files: 2, missing_files: 2 } })
  })
  it.each([
    [sliceMs - 1, 3],
    [sliceMs, 0],
  ])('DAT-06 writes nothing more %i ms after its start: %i files', async (ms, entries) => {
    const times = [0, ms]
    expect((await writeUploads(1, () => times.shift() ?? sliceMs)).entries).toBe(entries)
  })
})

it.each([
  ['all', 10, { stage: 'flow_files', entries: 11 }],
  ['all', 9, { stage: 'upload_files', entries: 10 }],
] as const)(
  'DAT-01 an export of %s with a batch of %i flows continues with %j',
  async (contents, count, expected) => {
    const service = await sharedService()
    const { admin } = await createAccount(service)
    const draft = {
      tree_type: 'procedural',
      name: 'Größe',
      status: 'draft',
      tree_structure: null,
      intake_form: [],
    }
    for (let n = 0; n < count; n++) await createFlow(admin, draft)
    const database = openTestDatabase(service.settings.DATABASE_PLATFORM_URL)
    const { db } = openAccountScope(database, admin.accountId, admin.id, () => {})
    const { progress } = await writeSlice(
      { db, uploads: {} as never, recordSigner },
      createJob('flow_files', contents),
      allowWrites(1),
    )
    expect(progress).toMatchObject({ ...expected, counts: { flow_files: count } })
  },
)

it('DAT-01 ends with the manifest', async () => {
  const { db } = createStubDatabase(() => [{ id: 'a', name: 'Northwind' }])
  const { isLast, progress } = await writeSlice(
    { db, uploads: {} as never, recordSigner },
    createJob('manifest', 'restorable'),
    allowWrites(9),
  )
  expect([isLast, progress]).toMatchObject([true, { stage: 'end', entries: 2 }])
})

it('fails for a stage that does not exist', async () => {
  const { db } = createStubDatabase(() => [])
  await expect(
    writeSlice({ db, uploads: {} as never, recordSigner }, createJob('no stage'), allowWrites(1)),
  ).rejects.toThrow('no stage no stage')
})
