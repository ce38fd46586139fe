// Follows values into the files that a script writes and executes.

const writer =
  /(?<![\w-])(?:set-content|add-content|ac|out-file|tee-object|tee|copy-item|cpi?|copy|move-item|mi|mv|move|new-item|ni|export-\w+|invoke-webrequest|iwr|curl|wget|start-bitstransfer)(?![\w-])|>|\bfile\]\s*::|streamwriter|\.downloadfile\b/i
const executor =
  /(?<![\w-])(?:powershell|pwsh|start-process|saps|start|import-module|ipmo|invoke-command|icm|invoke-item|ii)(?![\w-])/i
const scriptFile = /(?<![\w-])[\w-]+\.(?:ps1|psm1|psd1|bat|cmd|vbs|js|wsf|hta|py|sh)\b/gi
const called =
  /(?:^|[\s;|({}=])(?:[&.]\s+)?["']?(?:[^\s"'|;(){}=]*[\\/])?([\w-]+\.(?:ps1|psm1|bat|cmd|vbs|js|wsf|py|sh))\b/gi
const calledVariable = /[&.]\s+["(]?\$\{?([\w:]+)/g

/** Return the statements that write a file which another statement executes. */
export function findWrittenScripts(statements: readonly string[]): Set<string> {
  const executed = new Set<string>()
  const writers = new Set(statements.filter((text) => writer.test(text)))
  for (const text of statements) {
    if (executor.test(text)) for (const name of getFileNames(text)) executed.add(name)
    if (!writers.has(text))
      for (const [, file = ''] of text.matchAll(called)) executed.add(file.toLowerCase())
    for (const [, name = ''] of text.matchAll(calledVariable)) executed.add(`$${name.toLowerCase()}`)
  }
  // A variable stands for the files in the statement that sets it.
  for (const text of statements) {
    const [, name = ''] = /^\s*\$\{?([\w:]+)\}?\s*=/.exec(text) ?? []
    const files = text.match(scriptFile) ?? []
    if (executed.has(`$${name.toLowerCase()}`)) for (const file of files) executed.add(file.toLowerCase())
    else if (files.some((file) => executed.has(file.toLowerCase()))) executed.add(`$${name.toLowerCase()}`)
  }
  return new Set([...writers].filter((text) => getFileNames(text).some((name) => executed.has(name))))
}

/** Return the variables and the names of script files in a text. */
function getFileNames(text: string): string[] {
  return [...(text.match(scriptFile) ?? []), ...(text.match(/\$\w+/g) ?? [])].map((name) =>
    name.toLowerCase(),
  )
}
