#!/usr/bin/python3
"""Uses a bucket as a program that knows nothing of edgeprint does, with boto3.

usage: foreign.py ENDPOINT ACCESS-KEY SECRET-KEY BUCKET COMMAND [ARGUMENT ...]

  list PREFIX         prints the objects below a prefix as JSON, with the SHA-256 digests of their contents
  copy FROM TO        copies all objects below a prefix to another prefix
  cut KEY LENGTH      replaces an object by its first bytes
  delete KEY          deletes an object
  upload KEY FILE     uploads a file
  lifecycle JSON      sets the bucket's lifecycle configuration, and prints the one that the bucket then has
"""

import hashlib
import json
import sys

import boto3
import botocore.config

endpoint, access_key, secret_key, bucket, command, *arguments = sys.argv[1:]
client = boto3.client(
    "s3",
    endpoint_url=endpoint,
    aws_access_key_id=access_key,
    aws_secret_access_key=secret_key,
    region_name="us-east-1",
    config=botocore.config.Config(s3={"addressing_style": "path"}, proxies={}),
)


def keys(prefix):
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for entry in page.get("Contents", []):
            yield entry["Key"]


def list_objects(prefix):
    found = []
    for key in keys(prefix):
        answer = client.get_object(Bucket=bucket, Key=key)
        content = answer["Body"].read()
        found.append(
            {
                "key": key[len(prefix) :],
                "length": len(content),
                "digest": hashlib.sha256(content).hexdigest(),
                "type": answer["ContentType"],
                "metadata": answer["Metadata"],
                "start": content[:18].decode("latin-1"),
            }
        )
    print(json.dumps(found))


def copy(source, target):
    for key in list(keys(source)):
        origin = {"Bucket": bucket, "Key": key}
        client.copy_object(Bucket=bucket, Key=target + key[len(source) :], CopySource=origin)


def cut(key, length):
    content = client.get_object(Bucket=bucket, Key=key)["Body"].read()
    client.put_object(Bucket=bucket, Key=key, Body=content[: int(length)])


def delete(key):
    client.delete_object(Bucket=bucket, Key=key)


def upload(key, file):
    client.upload_file(file, bucket, key)


def lifecycle(text):
    client.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration=json.loads(text))
    print(json.dumps(client.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]))


commands = {"list": list_objects, "copy": copy, "cut": cut, "delete": delete, "upload": upload, "lifecycle": lifecycle}
commands[command](*arguments)
