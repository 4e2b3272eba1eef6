"""Submits a task and prints its final result: python3 run_task.py PROJECT FUNCTION INPUT"""

import json
import sys

from hub import arguments, call, quoted

project, function, text = arguments("PROJECT", "FUNCTION", "INPUT")
task = call("POST", f"/v1/projects/{quoted(project)}/tasks", {"function": function, "input": json.loads(text)}, {"wait": 25})
while task["status"] not in ("finalized", "failed"):
    task = call("GET", f"/v1/tasks/{quoted(task['task_id'])}", query={"wait": 25})
if task["status"] == "failed" or not task["success"]:
    sys.exit(f"{task['task_id']} failed: {task['error']}")
print(json.dumps({name: task[name] for name in ("task_id", "round_id", "output", "receipt_hash")}))
