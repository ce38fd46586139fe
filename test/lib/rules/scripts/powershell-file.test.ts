// @module-tag behaviour
import { expect, it } from 'vitest'
import { toPowerShellFile } from '#rules/scripts/line-ends.ts'

const encoding = '[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false; '

it.each([
  ["Write-Output 'a'", "Write-Output 'a'"],
  ['Write-Output "Step — 1"', `\ufeff${encoding}Write-Output "Step — 1"`],
  ['# für alle\nGet-Date', `\ufeff${encoding}# für alle\nGet-Date`],
  ["param([string]$a = 'ü')\n$a", "\ufeffparam([string]$a = 'ü')\n$a"],
  ['# ü\n[CmdletBinding()]\nparam()', '\ufeff# ü\n[CmdletBinding()]\nparam()'],
  ["#Requires -Version 5\n'ü'", "\ufeff#Requires -Version 5\n'ü'"],
  ["\ufeff'ü'", "\ufeff'ü'"],
])('the file of %j is %j', (script, file) => {
  expect(toPowerShellFile(script)).toBe(file)
})
