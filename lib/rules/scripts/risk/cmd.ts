import { spend } from '#rules/budget.ts'
import type { RiskContext } from './findings.ts'
import { assessProgram, toWord } from './programs.ts'

/**
 * Assess a command line of cmd.exe. Its rules for quotes are loose, so every part between operators counts as
 * a command.
 */
export function assessCmd(context: RiskContext, text: string): void {
  spend(text.length * 20)
  for (const line of text.split(/&&|\|\||[&|\r\n()]/)) {
    const words = line.match(/"[^"]*"|[^\s"]+/g)?.map((word) => word.replace(/^[@"]+|(?<!")"+$/g, '')) ?? []
    const start = words.findIndex(
      (word) => !/^(if|not|exist|do|call|start|for|in|errorlevel|\/[a-z]|%+~?\w)$/i.test(word),
    )
    if (start >= 0) assessProgram(context, words.slice(start).map(toWord))
    if (start > 0) assessProgram(context, words.map(toWord))
  }
}
