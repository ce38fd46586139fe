import { expect, it } from 'vitest'
import { usedAsCode } from '../../lib/scripts/placement-reasons.ts'
import { judgeScript } from './judge-script.ts'

const refused = [
  'import subprocess\nopen("a.sh", "w").write({{ p }})\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\nwith open("/tmp/a.sh", "w") as f:\n    f.write({{ p }})\nsubprocess.run(["bash", "/tmp/a.sh"])',
  'import subprocess\npath = "/tmp/a.sh"\nwith open(path, "w", encoding="utf-8") as f:\n    f.write("echo " + {{ p }})\nsubprocess.run(["bash", path])',
  'import subprocess\nfrom pathlib import Path\nPath("a.ps1").write_text({{ p }})\nsubprocess.run(["powershell", "-File", "a.ps1"])',
  'import subprocess\nfrom pathlib import Path\np = Path("/opt") / "a.py"\np.write_text({{ p }})\nsubprocess.run(["python3", str(p)])',
  'import subprocess, tempfile\nf = tempfile.NamedTemporaryFile("w", delete=False)\nf.write({{ p }})\nf.close()\nsubprocess.run(["sh", f.name])',
  'import subprocess, tempfile\nwith tempfile.NamedTemporaryFile("w") as f:\n    f.write({{ p }})\n    subprocess.run(["sh", f.name])',
  'import os\nopen("a.sh", "w").write({{ p }})\nos.system("sh ./a.sh")',
  'import os\nopen("a.sh", "w").write({{ p }})\nos.chmod("a.sh", 0o755)\nos.execv("./a.sh", ["a.sh"])',
  'import subprocess, os\nopen("a.sh", "w").write({{ p }})\nos.chmod("a.sh", 0o755)\nsubprocess.run(["./a.sh"])',
  'import subprocess, os\nopen("a.sh", "w").write({{ p }})\nsubprocess.run("./a.sh")',
  'open("a.py", "w").write({{ p }})\nexec(open("a.py").read())',
  'open("a.py", "w").write({{ p }})\nimport a',
  'import runpy\nopen("a.py", "w").write({{ p }})\nrunpy.run_path("a.py")',
  'import os\nopen("a.bat", "w").write({{ p }})\nos.startfile("a.bat")',
  'import subprocess, shutil\nopen("a.txt", "w").write({{ p }})\nshutil.copy("a.txt", "b.sh")\nsubprocess.run(["sh", "b.sh"])',
  'import subprocess, os\nopen("a.txt", "w").write({{ p }})\nos.rename("a.txt", "b.sh")\nsubprocess.run(["sh", "b.sh"])',
  'import subprocess\nx = ["a"]\nx.append({{ p }})\nwith open("a.sh", "w") as f:\n    print("\\n".join(x), file=f)\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\ndef save(path, text):\n    with open(path, "w") as f:\n        f.write(text)\nsave("a.sh", {{ p }})\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\ndef start(path):\n    subprocess.run(["sh", path])\nopen("a.sh", "w").write({{ p }})\nstart("a.sh")',
  'import subprocess, os\nc = ["sh", "a.sh"]\nopen("a.sh", "w").write({{ p }})\nsubprocess.run(c)',
  'import subprocess\nf = open("a.sh", "w")\nw = f.write\nw({{ p }})\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\nf = open("a.sh", "w")\nf.writelines([{{ p }}])\nf.close()\nsubprocess.Popen(["sh", "a.sh"])',
  'import subprocess\nimport io\nio.open("a.sh", "w").write({{ p }})\nsubprocess.call(["sh", "a.sh"])',
  'import subprocess\nfrom pathlib import Path\nwith Path("a.sh").open("w") as f:\n    f.write({{ p }})\nsubprocess.call(["sh", "a.sh"])',
  'import subprocess\nimport os\nfolder = "/opt"\npath = os.path.join(folder, "a.sh")\nf = open(path, "w")\nf.write({{ p }})\nsubprocess.call(["sh", "/opt/a.sh"])',
  'import subprocess\nimport os\nfd = os.open("a.sh", os.O_CREAT)\nos.write(fd, {{ p }}.encode())\nsubprocess.call(["sh", "a.sh"])',
  'import subprocess\npath = "a.sh"\nopen(path, "w").write({{ p }})\nsubprocess.run(f"sh {path}", shell=True)',
  'import subprocess\npath = "a.sh"\nopen(path, "w").write({{ p }})\nsubprocess.run("sh " + path, shell=True)',
  'import subprocess\nopen("a.sh", "w").write({{ p }})\nsubprocess.run("chmod +x a.sh && ./a.sh", shell=True)',
  'import subprocess, json\nwith open("a.js", "w") as f:\n    json.dump({{ p }}, f)\nsubprocess.run(["node", "a.js"])',
  'import subprocess\nimport os\nbase = "/opt"\nname = "a"\npath = os.path.join(base, name) + ".sh"\nopen(path, "w").write({{ p }})\nsubprocess.run(["sh", path])',
  'import subprocess\nif (f := open("a.sh", "w")):\n    f.write({{ p }})\nsubprocess.run(["sh", "a.sh"])',
  'import importlib\nopen("a.py", "w").write({{ p }})\nimportlib.import_module("a.py")',
  'import subprocess\nwith open("b.txt") as a, open("a.sh", "w") as f:\n    f.write(a.read() + {{ p }})\nsubprocess.run(["sh", "a.sh"])',
]
const accepted = [
  'import subprocess\nwith open("log.txt", "a") as f:\n    f.write({{ p }})\nsubprocess.run(["powershell", "-File", "fix.ps1"])',
  'import subprocess\nfrom pathlib import Path\nbase = Path("C:/tools")\nlog = base / "log.txt"\nlog.write_text({{ p }})\nsubprocess.run(["powershell", "-File", str(base / "fix.ps1")])',
  'import subprocess\nwith open("app.conf", "w") as f:\n    f.write("name=" + {{ p }})\nsubprocess.run(["systemctl", "restart", "app"])',
  'import subprocess\nwith open("app.conf", "w") as f:\n    print("name", {{ p }}, file=f)\nsubprocess.run(["nginx", "-t", "-c", "app.conf"])',
  'import subprocess\npath = "fix.ps1"\nprint("Running", path, "for", {{ p }})\nsubprocess.run(["powershell", "-File", path])',
  'import subprocess, json\nconfig = {"user": {{ p }}}\nwith open("a.json", "w") as f:\n    json.dump(config, f)\nsubprocess.run(["python3", "import.py"])',
  'import csv\nwith open("a.csv", "w") as f:\n    w = csv.writer(f)\n    w.writerow([{{ p }}])\nimport subprocess\nsubprocess.run(["sh", "upload.sh"])',
  'import subprocess\nopen("a.sh", "w").write("echo fixed")\nsubprocess.run(["sh", "a.sh", {{ p }}])',
  'import os, subprocess\nopen("a.txt", "w").write({{ p }})\nos.system("notepad b.txt")',
  'import subprocess\nfrom pathlib import Path\nPath("a.sh.log").write_text({{ p }})\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\nopen("a.txt", "w").write({{ p }})\nprint("a.sh", file=open("b.txt", "w"))\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\nx = {{ p }}\nx.replace("a.txt", "a.sh")\nopen("a.sh", "w").write("exit")\nsubprocess.run(["sh", "a.sh"])',
]

it.each(refused)('SCR-13 refuses a value in a Python file that is executed: %j', (script) => {
  const line = script.split('\n').findIndex((text) => text.includes('{{ p }}')) + 1
  expect(judgeScript('python', script)).toEqual([`${line} p: ${usedAsCode}`])
})

it.each(accepted)('SCR-13 accepts a value in a Python file that is not executed: %j', (script) => {
  expect(judgeScript('python', script)).toEqual([])
})
