import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '#local/root.ts'

/** The parts of the documents that hold without a checkout. */
const parts: [file: string, headings: string[]][] = [
  [
    'functions/README.md',
    [
      '## Run it on Node',
      '### On a Debian or Ubuntu machine',
      '### Register',
      '### What to know',
      '## Watch it',
      '## Check it',
      '## Exchange the keys',
    ],
  ],
  ['migrations/README.md', ['## Backup, restore, rollback', '### Rehearse it']],
  ['functions/README.md', ['## Settings']],
]

const start = `# Support Flow Service for Node

This folder runs with Node alone. CHANGELOG.md says what a version changes and how to upgrade to it; LICENSE says who may use it,
and THIRD-PARTY-LICENSES.txt under which licences the packages in it are.

`

/** Write the README.md of the folder that runs with Node alone. Throw if a part is missing. */
export async function writeFolderReadme(folder: string): Promise<void> {
  const texts = await Promise.all(
    parts.map(async ([file, headings]) => {
      const sections = (await readFile(join(root, file), 'utf8')).split(/^(?=##+ )/m)
      return headings.map((heading) => {
        const section = sections.find((text) => text.startsWith(`${heading}\n`))
        if (!section) throw new Error(`${file} has no section “${heading}”.`)
        return section
      })
    }),
  )
  const headings = new Set(parts.flatMap(([, names]) => names.map(toAnchor)))
  const readme = texts
    .flat()
    .join('')
    // What only a checkout has.
    .replace(/[ \t]*<!-- checkout -->[\s\S]*?<!-- \/checkout -->\n?/g, '')
    .replace(/\[([^\]]+)\]\(([^)]*)\)/g, (link, text, target) =>
      /^https?:/.test(target) || headings.has(target) ? link : text,
    )
  await writeFile(join(folder, 'README.md'), start + readme)
}

/** Return the link to a heading: https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#section-links */
const toAnchor = (heading: string) =>
  `#${heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-')}`
