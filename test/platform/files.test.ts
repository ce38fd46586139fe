import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { root } from '#local/root.ts'
import { recordWith } from '#metrics.ts'
import { createFiles } from '#platform/node/files.ts'
import { createMetricsRegistry } from '#platform/node/metrics-registry.ts'
import { Problem } from '#problem.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { type FileInput, type FileKind, readFile } from '#rules/files/read-file.ts'
import { buildDocx, docxParagraph } from '#test/support/knowledge.ts'
import { night } from '#test/support/night.ts'
import { buildPdf, pdfText } from '#test/support/pdf-files.ts'
import { type FilesPort, filesInProcess } from '#vendors/files/files.ts'

const limits = { cpuMs: 200, wallMs: 20_000, memoryBytes: 256 * 1024 * 1024 }
const script = join(import.meta.dirname, '../support/hostile-reader.mjs')

/** For files that take some of its time and are not to be killed. */
const longLimits = { cpuMs: 20_000 }

/** Create readers whose file says what they do, and the lines that they log. */
function createHostileFiles(change: Partial<typeof limits> = {}, now?: () => number) {
  const lines: Record<string, unknown>[] = []
  const files = createFiles((line) => lines.push(line), {
    limits: { ...limits, ...change },
    script,
    ...(now ? { now } : {}),
  })
  onTestFinished(() => files.close())
  const read = (act: string, account = 'a', signal?: AbortSignal) =>
    runWithin(createBudget({ steps: jobSteps }), () =>
      files.read('mermaid', act, account, signal),
    ) as Promise<unknown>
  return { files, lines, read }
}

/** Return the status of a refusal, or the result. */
const settle = (result: Promise<unknown>) =>
  result.catch((error: unknown) => (error instanceof Problem ? error.status : String(error)))

describe('WIR-79 a reader that takes too much', () => {
  it.each([
    ['loop', 'time'],
    ['buffers', /memory|time/],
    ['heap', /memory|ended|time/],
    ['exit', 'ended'],
    ['crash', 'ended'],
  ])('WIR-79 is killed, and its file is 422 too_complex: %s', async (act, reason) => {
    const { lines, read } = createHostileFiles()
    const refusal = await read(act).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ status: 422, body: { errors: [{ type: 'too_complex' }] } })
    expect(lines).toEqual([
      {
        level: 'warn',
        file_reader_killed: expect.stringMatching(reason),
        kind: 'mermaid',
        bytes: act.length,
      },
    ])
    expect(await read('answer')).toBe('read')
  })

  it('WIR-79 that another hand ends reads once more; then its file is 503', async () => {
    const { lines, read } = createHostileFiles()
    const refusal = await read('killed').catch((error: unknown) => error)
    expect(refusal).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect(lines.map(({ file_reader_killed }) => file_reader_killed)).toEqual(['outside', 'outside'])
    expect(await read('answer')).toBe('read')
  })

  it('WIR-79 is killed after a long time, also if it only waits', async () => {
    const { read } = createHostileFiles({ wallMs: 200 })
    expect(await settle(read('silence'))).toBe(422)
  })

  it('WIR-79 that has read large files is not killed for what they have left', night, async () => {
    const lines: unknown[] = []
    const files = createFiles((line) => lines.push(line))
    onTestFinished(() => files.close())
    const read = (text: string) =>
      runWithin(createBudget({ steps: jobSteps }), () => files.read('flow_problems', text, 'a', undefined))
    for (const text of ['\n', 'a\n', '{#', '\n']) await read(text.repeat((4 * 1024 * 1024) / text.length))
    expect(await read('a')).toHaveLength(2)
    expect(lines).toEqual([])
  })

  it('WIR-79 is counted by kind and reason', async () => {
    const registry = createMetricsRegistry()
    const { read } = createHostileFiles()
    await recordWith(registry, () => settle(read('exit')))
    expect(registry.write([])).toContain(
      'support_flow_file_reader_kills_total{kind="mermaid",reason="ended"} 1',
    )
  })

  it('WIR-79 has no settings, threads, programs or files', async () => {
    const { read } = createHostileFiles()
    const acts = ['environment', 'thread', 'program', 'write', 'read']
    const results = []
    for (const act of acts) results.push(await read(act))
    expect(results).toEqual([['PWD'], ...Array(4).fill('ERR_ACCESS_DENIED')])
    expect(existsSync('/tmp/written-by-a-reader')).toBe(false)
  })
})

describe('WIR-80 the places of readers', () => {
  it('WIR-80 an account has one place at a time, so files of others are read between its own', async () => {
    const { read } = createHostileFiles(longLimits)
    const order: string[] = []
    const start = (account: string) => settle(read('busy', account)).finally(() => order.push(account))
    const first = Array.from({ length: 5 }, () => start('a'))
    await Promise.all([...first, start('b')])
    expect(order.indexOf('b')).toBeLessThan(3)
  })

  it('WIR-80 an account whose file was killed waits behind other accounts for ten minutes', async () => {
    let now = 0
    const { read } = createHostileFiles(longLimits, () => now)
    await settle(read('exit', 'killed'))
    const readInOrder = async () => {
      const order: string[] = []
      const start = (account: string) => settle(read('busy', account)).finally(() => order.push(account))
      await Promise.all(['a', 'b', 'killed', 'c', 'd', 'e'].map(start))
      return order.indexOf('killed')
    }
    expect(await readInOrder()).toBeGreaterThanOrEqual(4)
    now += 600_000
    expect(await readInOrder()).toBeLessThan(4)
  })

  it('WIR-80 a waiting file whose client has left is not read, and its place is free', async () => {
    const { lines, read } = createHostileFiles(longLimits)
    const client = new AbortController()
    const reading = read('busy')
    // They would be killed, which a line would say.
    const left = Array.from({ length: 10 }, () => settle(read('exit', 'a', client.signal)))
    expect(await settle(read('answer'))).toBe(503)
    client.abort()
    expect(await Promise.all(left)).toEqual(Array(10).fill(503))
    expect(await settle(read('exit', 'a', client.signal))).toBe(503)
    expect(await read('answer')).toBe('read')
    expect([await reading, lines]).toEqual(['read', []])
  })

  it('WIR-80 of 32 files of an account most wait in vain, with 503 and Retry-After', async () => {
    const { read } = createHostileFiles()
    const results = await Promise.all(
      Array.from({ length: 32 }, () => read('answer').catch((error: unknown) => error)),
    )
    const refusals = results.filter((result) => result !== 'read')
    expect(refusals).toHaveLength(32 - 11)
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
  })

  it('WIR-80 files of 128 MB wait at most', night, async () => {
    const { files, read } = createHostileFiles()
    const large = (account: number) =>
      settle(
        files.read(
          'article_text',
          { format: 'html', title: '', content: 'x'.repeat(30_000_000) },
          `${account}`,
          undefined,
        ),
      )
    // The reader knows no such text and fails. The fifth is refused before.
    const results = await Promise.all([1, 2, 3, 4, 5].map(large))
    expect(results.filter((result) => result === 503)).toHaveLength(1)
    expect(await read('answer')).toBe('read')
  })

  it('WIR-80 32 accounts at a time get an answer or 503', async () => {
    const { read } = createHostileFiles()
    const results = await Promise.all(
      Array.from({ length: 32 }, (_, account) => settle(read('answer', String(account)))),
    )
    expect(results.filter((result) => result === 'read')).toHaveLength(10)
    expect(results.filter((result) => result === 503)).toHaveLength(22)
  })

  it('WIR-80 what is read while the service stops is 503', async () => {
    const { files, read } = createHostileFiles()
    const reading = settle(read('silence'))
    await expect.poll(() => listReaders(process.pid).length, { timeout: 30_000 }).toBe(1)
    files.close()
    expect([await reading, await settle(read('answer'))]).toEqual([503, 503])
  })
})

/** Return the ids of the processes that a process has started to read files. */
function listReaders(parent: number): number[] {
  return execFileSync('ps', ['-o', 'pid=,ppid=,args=', '-A'], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)/.exec(line))
    .flatMap((match) =>
      match && Number(match[2]) === parent && /hostile-reader/.test(match[3] ?? '') ? [Number(match[1])] : [],
    )
}

it('WIR-79 a reader ends with its parent, also if both are busy', night, async () => {
  const code = `
    import { createFiles } from '#platform/node/files.ts'
    const files = createFiles(() => {}, { limits: ${JSON.stringify({ ...limits, cpuMs: 60_000 })}, script: ${JSON.stringify(script)} })
    files.read('mermaid', 'loop', 'a', undefined).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 60_000))`
  const { spawn } = await import('node:child_process')
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: 'ignore',
  })
  const readers = () => listReaders(parent.pid ?? 0)
  await expect.poll(() => readers().some((id) => isBusy(id)), { timeout: 30_000 }).toBe(true)
  const ids = readers()
  parent.kill('SIGKILL')
  await expect.poll(() => ids.filter((id) => existsSync(`/proc/${id}`)), { timeout: 30_000 }).toEqual([])
})

/** Return whether a process has used half a second of processor time. */
const isBusy = (id: number) => Number(readFileSync(`/proc/${id}/stat`, 'latin1').split(' ')[13]) > 50

const node = createFiles(() => {})
afterAll(() => node.close())
const platforms: Record<string, FilesPort> = { Node: node, 'a Worker': filesInProcess() }

describe.each(Object.keys(platforms))('WIR-81 files on %s', (platform) => {
  const read = <Kind extends FileKind>(kind: Kind, input: FileInput<Kind>) =>
    runWithin(createBudget({ steps: jobSteps }), () =>
      (platforms[platform] as FilesPort).read(kind, input, 'a', undefined),
    )
  const article = (name: string, bytes: Uint8Array<ArrayBuffer>) => ({ name, bytes, type: '' })

  it.each<[FileKind, FileInput<FileKind>]>([
    ['article_file', article('a.pdf', buildPdf({ pages: [pdfText('Restart the spooler', 50, 700)] }))],
    ['article_file', article('a.docx', buildDocx(docxParagraph('Restart the spooler')))],
    ['article_text', { format: 'html', title: 'A', content: '<p>Restart the spooler</p>' }],
    [
      'drawio',
      {
        content:
          '<mxfile><diagram name="a"><mxGraphModel><root><mxCell vertex="1" id="2" value="b"/></root></mxGraphModel></diagram></mxfile>',
        page: 1,
      },
    ],
    ['mermaid', 'graph\na --> b'],
    ['flow', '---\nname: a\ntype: troubleshooting\n---\n\n## Solution: Done {#a}\n'],
    ['flow_problems', 'a'],
  ])('WIR-81 have the same result as their reader: %s', async (kind, input) => {
    const outcome = await readFile({ kind, input, steps: jobSteps })
    expect('result' in outcome && outcome.result).toBeTruthy()
    expect(await read(kind, input)).toEqual(JSON.parse(JSON.stringify('result' in outcome && outcome.result)))
  })

  it.each<[string, FileKind, FileInput<FileKind>]>([
    ['ArticleError', 'article_file', article('a.pdf', buildPdf({ pages: [] }))],
    ['ArticleError', 'article_file', article('a.exe', new Uint8Array())],
    [
      'ArchiveError',
      'archived_article',
      { name: 'a', packed: { method: 8, size: 1, content: new Uint8Array() } },
    ],
    ['DiagramFileError', 'mermaid', 'a'],
    ['DiagramFileError', 'drawio', { content: '<mxfile><diagram/></mxfile>', page: 9 }],
    ['Problem', 'article_text', { format: 'html', title: 'A', content: '<p>'.repeat(900_000) }],
  ])('WIR-81 are refused with the error of their reader: %s, %s', async (name, kind, input) => {
    const outcome = await readFile({ kind, input, steps: jobSteps })
    const error = await read(kind, input).catch((error: unknown) => error)
    expect(error).toEqual('error' in outcome && outcome.error)
    expect((error as Error).constructor.name).toBe(name)
  })

  it('WIR-81 count the work of their reader', async () => {
    const budget = createBudget({ steps: jobSteps })
    const text = { format: 'html', title: 'A', content: '<p>a</p>'.repeat(100) } as const
    await runWithin(budget, () =>
      (platforms[platform] as FilesPort).read('article_text', text, 'a', undefined),
    )
    expect(budget.getSpent().steps).toBe(
      (await readFile({ kind: 'article_text', input: text, steps: jobSteps })).steps,
    )
  })
})

it('WIR-79 a reader starts in a checkout whose folder of packages is a link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['lib', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const code = `import { createFiles } from '#platform/node/files.ts'
    const files = createFiles(console.error)
    console.log(typeof await files.read('mermaid', 'graph TD\\na', 'a', undefined))
    files.close()`
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(output).toBe('object\n')
})
