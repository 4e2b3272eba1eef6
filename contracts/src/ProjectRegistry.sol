// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ShortString, ShortStrings} from "@openzeppelin/contracts/utils/ShortStrings.sol";
import {IProjectRegistry} from "./interfaces/IProjectRegistry.sol";
import {GuardedRoles} from "./lib/GuardedRoles.sol";
import {SignedActions} from "./lib/SignedActions.sol";
import {Slug} from "./lib/Slug.sol";
import {ListingStatus, Project, PublishVersion, Register, RegistryActions} from "./types/RegistryTypes.sol";

contract ProjectRegistry is IProjectRegistry, SignedActions, GuardedRoles {
    using RegistryActions for Register;
    using RegistryActions for PublishVersion;
    using ShortStrings for ShortString;

    bytes32 public constant REVIEWER_ROLE = keccak256("REVIEWER_ROLE");

    ShortString private immutable _projectTag;
    mapping(bytes32 projectId => Project) private _projects;

    /// @param projectTag tag from which project ids of this network are derived, e.g. `hub-project-v1:`.
    constructor(
        string memory domainName,
        string memory projectTag,
        address admin,
        address guardian,
        address reviewer
    ) EIP712(domainName, "1") GuardedRoles(admin, guardian) {
        _projectTag = ShortStrings.toShortString(projectTag);
        _grantRole(REVIEWER_ROLE, reviewer);
    }

    /// @inheritdoc IProjectRegistry
    function register(
        string calldata slug,
        bytes32 worker,
        bytes32 consensusHash,
        bytes32 manifestHash
    ) external returns (bytes32) {
        return _register(msg.sender, slug, worker, consensusHash, manifestHash);
    }

    /// @inheritdoc IProjectRegistry
    function registerBySig(Register calldata action, bytes calldata signature) external returns (bytes32) {
        _authorise(action.developer, action.nonce, action.deadline, action.hash(), signature);
        return _register(action.developer, action.slug, action.worker, action.consensusHash, action.manifestHash);
    }

    /// @inheritdoc IProjectRegistry
    function publishVersion(
        bytes32 projectId,
        uint32 version,
        bytes32 consensusHash,
        bytes32 manifestHash
    ) external {
        _publishVersion(msg.sender, projectId, version, consensusHash, manifestHash);
    }

    /// @inheritdoc IProjectRegistry
    function publishVersionBySig(PublishVersion calldata action, bytes calldata signature) external {
        _authorise(action.developer, action.nonce, action.deadline, action.hash(), signature);
        _publishVersion(
            action.developer,
            action.projectId,
            action.version,
            action.consensusHash,
            action.manifestHash
        );
    }

    /// @inheritdoc IProjectRegistry
    function setListingStatus(bytes32 projectId, ListingStatus status) external onlyRole(REVIEWER_ROLE) {
        Project storage project = _known(projectId);
        ListingStatus current = project.status;
        bool isFinal = current == ListingStatus.Rejected || current == ListingStatus.Delisted;
        if (isFinal || status < ListingStatus.Listed) revert ListingNotAllowed(current, status);
        project.status = status;
        emit ListingStatusSet(projectId, status);
    }

    /// @inheritdoc IProjectRegistry
    function projectOf(bytes32 projectId) external view returns (Project memory) {
        return _projects[projectId];
    }

    /// @inheritdoc IProjectRegistry
    function developerOf(bytes32 projectId) external view returns (address) {
        return _projects[projectId].developer;
    }

    /// @inheritdoc IProjectRegistry
    function projectIdOf(address developer, string calldata slug) public view returns (bytes32) {
        return keccak256(abi.encodePacked(_projectTag.toString(), developer, slug));
    }

    function _register(
        address developer,
        string calldata slug,
        bytes32 worker,
        bytes32 consensusHash,
        bytes32 manifestHash
    ) private returns (bytes32 projectId) {
        if (!Slug.isValid(slug)) revert InvalidSlug(slug);
        projectId = projectIdOf(developer, slug);
        Project storage project = _projects[projectId];
        if (project.developer != address(0)) revert AlreadyRegistered(projectId);
        project.developer = developer;
        project.version = 1;
        project.status = ListingStatus.PendingReview;
        project.consensusHash = consensusHash;
        project.manifestHash = manifestHash;
        emit ProjectRegistered(projectId, developer, slug, worker, consensusHash, manifestHash);
    }

    function _publishVersion(
        address developer,
        bytes32 projectId,
        uint32 version,
        bytes32 consensusHash,
        bytes32 manifestHash
    ) private {
        Project storage project = _known(projectId);
        if (project.developer != developer) revert NotDeveloper(projectId, developer);
        if (version <= project.version) revert VersionNotNewer(project.version, version);
        project.version = version;
        project.consensusHash = consensusHash;
        project.manifestHash = manifestHash;
        emit VersionPublished(projectId, version, consensusHash, manifestHash);
    }

    function _known(bytes32 projectId) private view returns (Project storage project) {
        project = _projects[projectId];
        if (project.developer == address(0)) revert UnknownProject(projectId);
    }
}
