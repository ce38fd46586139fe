import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const installed = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const args =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** A headless Chromium: the machine's own, or the one that @sparticuz/chromium ships. Throws why none starts here. */
export async function openBrowser(): Promise<Browser> {
  const own = installed.find((path) => path && existsSync(path))
  if (own) return chromium.launch({ executablePath: own, args: args.split(' ') })
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`No Chromium is installed on this ${process.platform} machine`)
  const folder = await unpackedFolder()
  // What a bare machine lacks, NSS and fonts, comes in the package too, made for an older glibc than any machine has now.
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: folder, HOME: process.env.HOME ?? folder }
  return chromium.launch({ executablePath: join(folder, 'chromium'), args: args.split(' '), env })
}

/** Unpacked once per version beside the package: the temp folder may hold half a copy, or that of another user. */
async function unpackedFolder(): Promise<string> {
  const require = createRequire(import.meta.url)
  const packaged = join(require.resolve('@sparticuz/chromium'), '../..')
  const { version } = require(join(packaged, 'package.json')) as { version: string }
  const cache = join(packaged, '../../.cache')
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(`${folder}-`)
  await unpack(join(packaged, 'bin'), fresh)
  // Whoever comes second finds the folder there, and drops its own.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }))
  return folder
}

async function unpack(from: string, to: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  const before = process.env.TMPDIR
  // The package unpacks to the temp folder, and reads where that is at every call.
  process.env.TMPDIR = to
  const archives = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'].map((name) => inflate(join(from, name)))
  if (before === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = before
  await Promise.all(archives)
  await writeFile(join(to, 'fonts.conf'), `<fontconfig><dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir></fontconfig>`)
}
