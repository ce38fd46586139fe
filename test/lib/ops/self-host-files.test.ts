import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ownerVariables, settings } from '#config.ts'
import { nodeCommands } from '#local/build/node-folder.ts'
import { root } from '#local/root.ts'
import { nodeSettings } from '#platform/node/settings.ts'
import packageJson from '../../../package.json' with { type: 'json' }

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = read('Dockerfile')
const unit = read('lib/ops/support-flow.service')
const readme = read('functions/README.md')
const template = parseEnv(read('.env.example')) as Record<string, string>
const ownerTemplate = parseEnv(read('.env.owner.example')) as Record<string, string>

interface Container {
  image?: string
  command?: string[]
  env_file?: string | string[]
  environment?: Record<string, unknown>
  volumes?: string[]
  depends_on?: string[] | Record<string, { condition: string }>
  healthcheck?: { test?: string[]; disable?: boolean }
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Container>
  volumes: Record<string, unknown>
}
const containers = Object.entries(compose.services)

const isSetting = (name: string) => name in settings || name in nodeSettings || ownerVariables.includes(name)

it('INS-09 .env.example has settings of the service only, and every one that is required', () => {
  expect(Object.keys(template).filter((name) => !isSetting(name))).toEqual([])
  const required = Object.entries({ ...settings, ...nodeSettings }).filter(
    ([, schema]) => !schema.safeParse(undefined).success,
  )
  for (const [name] of required) expect(template[name]).toBeTruthy()
})

it('INS-16 only the commands of the operator have the password of the owner', () => {
  const password = ownerTemplate.POSTGRES_PASSWORD ?? ''
  expect(Object.values(ownerTemplate).every((value) => value.includes(password))).toBe(true)
  expect(JSON.stringify(template)).not.toContain(password)
  const withOwner = containers
    .filter(([, { env_file = [] }]) => [env_file].flat().includes('.env.owner'))
    .map(([name]) => name)
  expect(withOwner).toEqual(['migrate', 'database'])
  expect(Object.keys(compose.services.app?.environment ?? {}).filter((name) => /OWNER/.test(name))).toEqual(
    [],
  )
  expect(unit).toMatch(/^InaccessiblePaths=-\/opt\/support-flow\/\.env\.owner$/m)
  const scripts = Object.entries(packageJson.scripts).flatMap(([name, script]) =>
    script.includes('preload.mjs') ? [name] : [],
  )
  expect(scripts).toEqual(['init', 'serve'])
  for (const ignored of ['.gitignore', '.dockerignore'])
    for (const file of ['.env.owner', 'create-database.sql'])
      expect(read(ignored).split('\n')).toContain(file)
})

it('INS-09 compose.yaml uses variables of .env.example, settings of the service, and no secret of its own', () => {
  const variables = [...read('compose.yaml').matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
  expect(variables.filter((name) => !template[name])).toEqual([])
  for (const [name, { environment = {}, image }] of containers) {
    const isOurs = image === 'support-flow'
    if (isOurs) expect(Object.keys(environment).filter((setting) => !isSetting(setting))).toEqual([])
    for (const [setting, value] of Object.entries(environment))
      if (/PASSWORD|DATABASE|TOKEN|KEY/.test(setting))
        expect([name, setting, value]).toEqual([
          name,
          setting,
          expect.stringMatching(/^$|\$\{|^support_flow$|^postgres:\/\/support_owner@/),
        ])
  }
})

it('INS-09 compose.yaml names files, volumes, containers and commands that exist', () => {
  for (const [, { volumes = [], depends_on = [], command = [] }] of containers) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':')
      expect(source.startsWith('.') ? existsSync(join(root, source)) : source in compose.volumes).toBe(true)
    }
    for (const other of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
      expect(compose.services).toHaveProperty(other)
    for (const file of command.filter((word) => word.endsWith('.js')))
      expect(nodeCommands).toHaveProperty(file.replace('.js', ''))
  }
  // A container waits for another only if that one says when it is healthy.
  const waits = containers.flatMap(([, { depends_on = [] }]) =>
    Array.isArray(depends_on) ? [] : Object.entries(depends_on),
  )
  for (const [name, { condition }] of waits)
    if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck?.test).toBeTruthy()
})

it('INS-09 the Dockerfile copies what exists, and does not run as root', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  for (const name of copied) expect(existsSync(join(root, name))).toBe(true)
  expect(dockerfile).toMatch(/^USER node$/m)
  expect(dockerfile).toMatch(/^HEALTHCHECK /m)
  const [, command = ''] = /^CMD \["node", "(\w+)\.js"\]$/m.exec(dockerfile) ?? []
  expect(nodeCommands).toHaveProperty(command)
  expect(existsSync(join(root, /^RUN node (\S+)/m.exec(dockerfile)?.[1] ?? ''))).toBe(true)
  const [version] = read('.nvmrc').trim().split('.')
  expect([...dockerfile.matchAll(/^FROM node:(\d+)/gm)].map(([, major]) => major)).toEqual([version, version])
})

it('INS-09 Docker ignores no file that the build may need', () => {
  const patterns = read('.dockerignore').trim().split('\n')
  const tracked = spawnSync('git', ['ls-files', '--', ...patterns], { cwd: root, encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
  expect(tracked).toEqual(['.dev.vars.example'])
})

it('INS-09 the unit of systemd starts a command of the built folder, which it may write to as little as possible', () => {
  const values = Object.fromEntries(
    unit.split('\n').flatMap((line) => (/^\w+=/.test(line) ? [line.split(/=(.*)/s).slice(0, 2)] : [])),
  )
  const [, command = ''] = /^\/usr\/bin\/node (\w+)\.js$/.exec(values.ExecStart ?? '') ?? []
  expect(nodeCommands).toHaveProperty(command)
  expect(values.ReadWritePaths).toBe(`${values.WorkingDirectory}/${template.OBJECTS_DIR}`)
  expect(Number(values.TimeoutStopSec) * 1000).toBeGreaterThan(
    nodeSettings.SHUTDOWN_TIMEOUT_MS.parse(undefined),
  )
})

it('OPS-08 every command that deploys names the Worker of wrangler.toml that it means', () => {
  const texts = [
    'functions/README.md',
    '.dev.vars.example',
    'lib/ops/init.ts',
    'lib/ops/cloudflare.ts',
    'migrations/README.md',
  ]
    .map(read)
    .join('\n')
  const commands = [...texts.matchAll(/npx wrangler (?:deploy|secret bulk)\b.*/g)].map(([command]) => command)
  expect(commands.length).toBeGreaterThan(4)
  expect(commands.filter((command) => !command.includes(' --env'))).toEqual([])
})

it('INS-09 functions/README.md names commands and files that exist', () => {
  const commands = [...readme.matchAll(/\bnpm run ([\w:]+)/g)].map(([, name = '']) => name)
  expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([])
  const inContainers = [...readme.matchAll(/\bnode (?:\/app\/)?(\w+)\.js/g)].map(([, name = '']) => name)
  expect(inContainers.length).toBeGreaterThan(2)
  for (const name of inContainers) expect(nodeCommands).toHaveProperty(name)
  for (const [, file = ''] of readme.matchAll(/`((?:lib|functions|test)\/[\w./-]+\.\w+)`/g))
    expect(existsSync(join(root, file))).toBe(true)
})
