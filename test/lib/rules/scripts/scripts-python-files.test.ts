import { expect, it } from 'vitest'
import { usedAsCode } from '#rules/scripts/placement-reasons.ts'
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
  'import importlib\nopen("a.py", "w").write({{ p }})\nimportlib.import_module("a")',
  'import subprocess\nwith open("b.txt") as a, open("a.sh", "w") as f:\n    f.write(a.read() + {{ p }})\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\nopen("a.txt", "w").write({{ p }})\nprint("a.sh", file=open("b.txt", "w"))\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\nopen("a" + ".sh", "w").write({{ p }})\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\npath = "b.sh"\ndef start(path):\n    subprocess.run(["sh", path])\nopen("a.sh", "w").write({{ p }})\nstart("a.sh")',
  'import subprocess\nmatch "a.sh":\n    case path: subprocess.run(["sh", path])\nopen("a.sh", "w").write({{ p }})',
  'import subprocess\npath = "a"\npath += ".sh"\nopen("a.sh", "w").write({{ p }})\nsubprocess.run(["sh", path])',
  'import subprocess\nx = ["b.sh"]\nx.append("a.sh")\nopen("a.sh", "w").write({{ p }})\nsubprocess.run(["sh", x[1]])',
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
  'import subprocess\nx = {{ p }}\nx.replace("a.txt", "a.sh")\nopen("a.sh", "w").write("exit")\nsubprocess.run(["sh", "a.sh"])',
  'import subprocess\nimport datetime\nlog_path = "C:/logs/restart.log"\nwith open(log_path, "a") as log:\n    log.write(datetime.datetime.now().isoformat() + " " + {{ p }} + "\\\n")\nsubprocess.run(["powershell", "-NoProfile", "-File", "C:/scripts/restart.ps1"], check=True)',
  'import subprocess\nimport sys\nwith open("request.txt", "w") as f:\n    f.write({{ p }})\nsubprocess.run([sys.executable, "-m", "pip", "list"], check=True)',
  'import json\nimport subprocess\nsettings = json.load(open("settings.json"))\nsettings["owner"] = {{ p }}\nwith open("settings.json", "w") as f:\n    json.dump(settings, f, indent=2)\nsubprocess.run(["systemctl", "restart", "agent"], check=True)',
  'import csv\nimport subprocess\nhosts = []\nwith open("hosts.csv") as f:\n    for row in csv.DictReader(f):\n        hosts.append(row["host"])\nwith open("report.csv", "w", newline="") as f:\n    writer = csv.writer(f)\n    writer.writerow(["note", {{ p }}])\nfor host in ["a", "b"]:\n    subprocess.run(["ping", "-c", "1", host])',
  'import os\nimport shutil\nimport subprocess\nbackup = "/var/backups/" + "app"\nos.makedirs(backup, exist_ok=True)\nshutil.copy("/etc/app.conf", os.path.join(backup, "app.conf"))\nwith open("/etc/app.conf", "a") as conf:\n    conf.write("contact=" + {{ p }} + "\\\n")\nsubprocess.run(["service", "app", "reload"], check=True)',
  'import subprocess\nimport tempfile\nwith tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as note:\n    note.write({{ p }})\nsubprocess.run(["curl", "-F", "file=@" + note.name, "https://x.example/upload"], check=True)',
  'import logging\nimport subprocess\nlogging.basicConfig(filename="run.log")\nlogging.info("Started for %s", {{ p }})\nresult = subprocess.run(["bash", "/opt/tools/check.sh"], capture_output=True, text=True)\nprint(result.stdout)',
  'from pathlib import Path\nimport subprocess\nfolder = Path("/opt/tools")\n(folder / "ticket.txt").write_text({{ p }})\nsubprocess.run(["bash", str(folder / "collect.sh")], check=True)\nprint((folder / "result.txt").read_text())',
  'import subprocess\nscript = "/opt/tools/collect.sh"\noutput = subprocess.check_output(["bash", script], text=True)\nwith open("/tmp/result.txt", "w") as f:\n    f.write(output + {{ p }})',
  'import subprocess\ndef log(message):\n    with open("/var/log/fix.log", "a") as f:\n        f.write(message + "\\\n")\nlog("Fix for " + {{ p }})\nsubprocess.run(["sh", "/opt/fix.sh"], check=True)\nlog("Done")',
  'import os\nimport subprocess\npath = os.path.join(os.environ["TEMP"], "report.html")\nwith open(path, "w", encoding="utf-8") as f:\n    f.write("<p>" + {{ p }})\nos.startfile("C:/Windows/explorer.exe")',
  'import subprocess\nfrom pathlib import Path\nfor path in Path("/etc/app.d").glob("*.conf"):\n    text = path.read_text()\n    path.write_text(text.replace("old", {{ p }}))\nsubprocess.run(["nginx", "-s", "reload"], check=True)',
]

it.each(refused)('SCR-13 refuses a value in a Python file that is executed: %j', (script) => {
  const line = script.split('\n').findIndex((text) => text.includes('{{ p }}')) + 1
  expect(judgeScript('python', script)).toEqual([`${line} p: ${usedAsCode}`])
})

it.each(accepted)('SCR-13 accepts a value in a Python file that is not executed: %j', (script) => {
  expect(judgeScript('python', script)).toEqual([])
})
