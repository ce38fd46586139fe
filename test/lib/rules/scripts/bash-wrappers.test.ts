import { expect, it } from 'vitest'
import { getStaticText, type Word } from '#rules/scripts/bash/syntax.ts'
import { unwrapAll, unwrapCommand } from '#rules/scripts/bash/wrappers.ts'

/** Return the words of a command. `$x` in a word stands for a variable. */
const split = (command: string): Word[] =>
  command.split(' ').map((word) => ({
    parts: word.split(/(\$x)/).flatMap((text): Word['parts'] => {
      if (text === '$x') return [{ kind: 'variable', name: 'x', parts: [] }]
      return text ? [{ kind: 'text', text, isQuoted: false, isLiteral: true }] : []
    }),
  }))
const join = (words: readonly Word[]) => words.map((word) => getStaticText(word) ?? '$').join(' ')
/**
 * Describe what a wrapper executes: the command, the positionals and the assignments, and whether it is
 * uncertain.
 */
const unwrap = (command: string) => {
  const wrapped = unwrapCommand(split(command))
  if (!wrapped) return null
  const parts = [join(wrapped.inner), join(wrapped.positionals), join(wrapped.assignments)]
  return wrapped.isUncertain ? [...parts, 'uncertain'] : parts
}

it.each<[string, string[] | null]>([
  ['ls a', null],
  ['toString a', null],
  ['nohup ls a', ['ls a', '', '']],
  ['nohup', ['', '', '']],
  ['nohup -- ls', ['ls', '', '']],
  ['nohup -x ls', ['ls', '', '', 'uncertain']],
  ['sudo -u root ls', ['ls', '', '']],
  ['sudo -uroot ls', ['ls', '', '']],
  ['sudo -u$x ls', ['ls', '', '']],
  ['sudo -nu root ls', ['ls', '', '']],
  ['sudo -nH ls', ['ls', '', '']],
  ['sudo -n$x ls', ['ls', '', '', 'uncertain']],
  ['sudo - ls', ['ls', '', '', 'uncertain']],
  ['sudo -nz ls', ['ls', '', '', 'uncertain']],
  ['sudo --user root ls', ['ls', '', '']],
  ['sudo --user=root ls', ['ls', '', '']],
  ['sudo --login ls', ['ls', '', '']],
  ['sudo --unknown ls', ['ls', '', '', 'uncertain']],
  ['sudo a=b _c=$x ls d=e', ['ls d=e', '', 'a=b $']],
  ['sudo 1=b', ['1=b', '', '']],
  ['nice a=b ls', ['a=b ls', '', '']],
  ['nice -n 5 ls', ['ls', '', '']],
  ['env -i a=b ls', ['ls', '', 'a=b']],
  ['env --split-string=ls a', ['a', '', '', 'uncertain']],
  ['env -S ls', ['ls', '', '', 'uncertain']],
  ['timeout 5 ls 6', ['ls 6', '5', '']],
  ['timeout -s KILL 5 ls', ['ls', '5', '']],
  ['timeout --signal=KILL $x ls', ['ls', '$', '']],
  ['command ls', ['ls', '', '']],
  ['command -p ls', ['ls', '', '']],
  ['command -v ls', ['', '', '']],
  ['command -Vv ls', ['', '', '']],
  ['docker ps a', null],
  ['docker exec -it web sh', ['sh', 'web', '']],
  ['docker --host a exec web sh', ['sh', 'web', '']],
  ['docker run -e A --rm image ls', ['ls', 'image', '']],
  ['exec docker', ['docker', '', '']],
  ['kubectl exec -n a pod -- ls', ['ls', 'pod', '']],
  ['ip netns exec a ls', ['ls', 'a', '']],
  ['ip netns list a', null],
  ['ip exec a ls', null],
  ['ip a netns exec b ls', ['ls', 'b', '']],
])('unwrapCommand finds the command that `%s` executes', (command, expected) => {
  expect(unwrap(command)).toEqual(expected)
})

it.each<[string, string[] | undefined]>([
  ['ls a', ['ls a']],
  ['sudo nice ls', ['sudo nice ls', 'nice ls', 'ls']],
  ['find . -name a', ['find . -name a']],
  [
    'sudo find . -execdir sh -c b ;',
    ['sudo find . -execdir sh -c b ;', 'find . -execdir sh -c b ;', 'sh -c b ;'],
  ],
  [`${'nohup '.repeat(7)}ls`, Array.from({ length: 8 }, (_, n) => `${'nohup '.repeat(7 - n)}ls`)],
  [`${'nohup '.repeat(8)}ls`, undefined],
])('unwrapAll lists the commands of `%s`', (command, expected) => {
  expect(unwrapAll(split(command))?.map(join)).toEqual(expected)
})
