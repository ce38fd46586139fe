import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { parse } from 'yaml'
import { version } from '#config.ts'
import { readReleaseNotes } from '#local/build/release.ts'
import { root } from '#local/root.ts'
import { fillSettings } from '#ops/init.ts'
import { parseCloudflareConfig } from '#platform/cloudflare/settings.ts'
import packageJson from '../../package.json' with { type: 'json' }

const read = (path: string) => readFile(join(root, path), 'utf8')

it.each(['staging', 'production'])(
  'the environment %s has every binding of the Worker, with its own name, bucket and dataset',
  (env) => {
    const readConfig = (args: { env?: string }) =>
      unstable_readConfig({ config: join(root, 'wrangler.toml'), ...args }, { hideWarnings: true })
    const { r2_buckets, analytics_engine_datasets, ...config } = readConfig({ env })
    const { r2_buckets: buckets, analytics_engine_datasets: datasets, ...base } = readConfig({})
    const select = ({
      durable_objects,
      images,
      assets,
      placement,
      limits,
      observability,
      triggers,
      migrations,
    }: typeof config) => ({
      ...{ durable_objects, images, assets, placement, limits, observability, triggers, migrations },
    })
    expect(select(config)).toEqual(select(base))
    expect(r2_buckets).toEqual(
      buckets.map((bucket: object & { bucket_name?: string }) => ({
        ...bucket,
        bucket_name: `${bucket.bucket_name}-${env}`,
      })),
    )
    expect(analytics_engine_datasets).toEqual(
      datasets.map((dataset: object & { dataset?: string }) => ({
        ...dataset,
        dataset: `${dataset.dataset}_${env}`,
      })),
    )
    expect(config.name).toBe(`${base.name}-${env}`)
  },
)

it('the example of the settings is complete and valid', async () => {
  expect(() => parseCloudflareConfig(parseEnv(''))).toThrow('PUBLIC_BASE_URL')
  const text = await read('.dev.vars.example')
  const settings = parseEnv(fillSettings(text))
  const isExample = /(\w+): is still the example/g
  const untouched: string[] = []
  try {
    parseCloudflareConfig(settings)
  } catch (error) {
    for (const [, name = ''] of (error as Error).message.matchAll(isExample)) untouched.push(name)
  }
  // C-1: what nobody replaced is named, instead of a host that no name server knows.
  expect(untouched).toContain('DATABASE_URL')
  const replaced = untouched.map((name) => [name, name.endsWith('_URL') ? 'https://r.example' : 'value-1'])
  const urls = {
    DATABASE_URL: 'postgres://u:p@db.example/d',
    DATABASE_PLATFORM_URL: 'postgres://u:p@db.example/d',
  }
  expect(parseCloudflareConfig({ ...settings, ...Object.fromEntries(replaced), ...urls })).toMatchObject({
    READY_TOKEN: expect.any(String),
  })
})

it('the version is the same in the code, the package and the changelog', async () => {
  const changelog = await read('CHANGELOG.md')
  const released = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/m.exec(changelog)?.[1]
  expect([version, released]).toEqual([packageJson.version, packageJson.version])
})

interface Workflow {
  on: object
  permissions: object
  jobs: Record<string, { 'timeout-minutes': number; steps: { run?: string; uses?: string }[] }>
}

it('INS-14 the notes of a version say how to upgrade', async () => {
  const changelog = await read('CHANGELOG.md')
  expect(readReleaseNotes(changelog, version)).toContain('### Upgrade')
  expect(() => readReleaseNotes(changelog.replace('### Upgrade', '### Other'), version)).toThrow(
    'lacks “### Upgrade”',
  )
  expect(() => readReleaseNotes(changelog, '8.0.0')).toThrow('no section [8.0.0]')
  expect(readReleaseNotes(changelog, '0.1.0')).toContain('### Added')
})

it.each([
  ['check', { contents: 'read' }],
  ['deploy', { contents: 'read' }],
  ['release', { contents: 'write', packages: 'write' }],
])('the workflow %s runs only scripts of the package, with the permissions %j', async (name, expected) => {
  const { jobs, permissions } = parse(await read(`.github/workflows/${name}.yml`)) as Workflow
  const commands = Object.values(jobs).flatMap(({ steps }) =>
    steps.flatMap(({ run }) => run?.split('\n') ?? []),
  )
  const scripts = commands.flatMap((command) => /^npm (?:run )?([\w:]+)/.exec(command)?.[1] ?? [])
  expect(scripts.length).toBeGreaterThan(0)
  expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([])
  expect(permissions).toEqual(expected)
  expect(Object.values(jobs).filter((job) => !job['timeout-minutes'])).toEqual([])
})
