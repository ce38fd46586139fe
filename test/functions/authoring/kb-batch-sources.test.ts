// @module-tag mechanism
import { expect, it } from 'vitest'
import { readSlice, type SourceContext } from '#functions/authoring/kb-batch-sources/service.ts'
import { buildZip } from '#test/support/knowledge.ts'

const archive = buildZip(Array.from({ length: 20 }, (_, n) => ({ name: `${n}.md`, content: 'a' })))
const batch = {
  id: 'a',
  account_id: 'a',
  source: 'zip' as const,
  address: null,
  object_key: 'a',
  api_key: null,
  list_position: null,
  done: 0,
  attempts: 1,
  max_attempts: 1,
}

/** Read a slice of an archive, with a reader that calls `onRead` and takes no step. */
const readWith = (onRead: () => void, now: () => number = () => 0) =>
  readSlice(
    {
      uploads: { get: async () => archive },
      files: {
        read: async () => {
          onRead()
          return { title: 'a', content: 'a', warnings: [] }
        },
      },
      log: () => {},
      now,
    } as unknown as SourceContext,
    batch,
    async () => [],
  )

it('lets others run between two articles of an archive', async () => {
  let turns = 0
  const seen: number[] = []
  await readWith(() => {
    seen.push(turns)
    setImmediate(() => turns++)
  })
  expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => n))
})

it('ends a slice of an archive after two seconds, and with one article at least', async () => {
  let time = 0
  const readFor = (ms: number) =>
    readWith(
      () => {
        time += ms
      },
      () => time,
    )
  expect(await readFor(900)).toHaveLength(3)
  expect(await readFor(60_000)).toHaveLength(1)
})
