import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const browserPaths = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const args =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Start headless Chromium: the installed one, or the packaged one on Linux x64. Throw if there is none. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = browserPaths.find((path) => path && existsSync(path))
  if (executablePath) return chromium.launch({ executablePath, args: args.split(' ') })
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`No Chromium is installed on this ${process.platform} machine`)
  const folder = await unpackPackagedBrowser()
  // The package also contains NSS and fonts, which a minimal machine may lack. They are built for an old
  // glibc and run everywhere.
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
    FONTCONFIG_PATH: folder,
    HOME: process.env.HOME ?? folder,
  }
  return chromium.launch({ executablePath: join(folder, 'chromium'), args: args.split(' '), env })
}

/**
 * Unpack the packaged browser once per version and return its folder. The folder is in node_modules, because
 * the temp folder could contain an incomplete copy or another user's copy.
 */
async function unpackPackagedBrowser(): Promise<string> {
  const require = createRequire(import.meta.url)
  const packageFolder = join(require.resolve('@sparticuz/chromium'), '../..')
  const { version } = require(join(packageFolder, 'package.json')) as { version: string }
  const cache = join(packageFolder, '../../.cache')
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const newFolder = await mkdtemp(`${folder}-`)
  await inflateArchives(join(packageFolder, 'bin'), newFolder)
  // If another process was faster, its folder is used and this copy is removed.
  await rename(newFolder, folder).catch(() => rm(newFolder, { recursive: true }))
  return folder
}

async function inflateArchives(sourceFolder: string, targetFolder: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  const previousTmpdir = process.env.TMPDIR
  // The package inflates into the temp folder, whose path it reads synchronously at every call.
  process.env.TMPDIR = targetFolder
  const archives = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'].map((name) =>
    inflate(join(sourceFolder, name)),
  )
  if (previousTmpdir === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = previousTmpdir
  await Promise.all(archives)
  await writeFile(
    join(targetFolder, 'fonts.conf'),
    `<fontconfig><dir prefix="relative">fonts</dir><dir>/usr/share/fonts</dir></fontconfig>`,
  )
}
